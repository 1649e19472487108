import { type Duty, soleDuty } from './duty.ts'

/** What the parts of a server have to know of the other nodes over its store. */
export type Cluster = {
  /** What this node is called; undefined where it is the only one. */
  readonly node: string | undefined
  readonly duty: Duty
  /** Nodes that have been seen lately, this one among them. */
  readonly nodeCount: number
  /** Whether what a node has begun stays undone: it has not been seen for a minute, or is no node any more.
   *  @param node undefined: a server that was alone */
  isGone(node: string | undefined): boolean
  /** Has the holder of the duty ask the masters of a SECONDARY zone. What is lost on the way is made up for when the zone
   *  falls due. */
  wantTransfer(zoneId: string, reason: TransferReason): void
}

/** Why masters are asked before their time. */
export type TransferReason = 'wanted' | 'notified'

/** A server over a store of its own. */
export const alone: Cluster = {
  node: undefined,
  duty: soleDuty,
  nodeCount: 1,
  isGone: () => false,
  wantTransfer: () => undefined,
}
