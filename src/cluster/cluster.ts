import { type Duty, soleDuty } from './duty.ts'

/** What the parts of a server have to know of the other nodes over its store. */
export type Cluster = {
  /** What this node is called; undefined where it is the only one. */
  readonly node: string | undefined
  readonly duty: Duty
  /** Nodes that have been seen lately, this one among them. */
  readonly nodeCount: number
  /** Sets where others reach the API of this node, where the settings do not say so. */
  reachedAt(url: string): void
  /** All nodes, by name; none where the server is alone. */
  nodes(): readonly Node[]
  /** Forgets a node that is not to come back.
   *  @returns why that was not done */
  remove(name: string): Promise<'unknown' | 'live' | undefined>
  /** Whether what a node has begun stays undone: it has not been seen for a minute, or is no node any more.
   *  @param node undefined: a server that was alone */
  isGone(node: string | undefined): boolean
  /** Has the holder of the duty ask the masters of a SECONDARY zone. What is lost on the way is made up for when the zone
   *  falls due. */
  wantTransfer(zoneId: string, reason: TransferReason): void
  /** Sets what is done for nodes that want a transfer, while this one has the duty. */
  heedTransfers(heed: (zoneId: string, reason: TransferReason) => void): void
  /** Has the other nodes take what is stored of a zone once more.
   *  @param zoneId undefined: of all zones */
  passOnSync(zoneId?: string): void
  /** Sets what is done for other nodes that pass on so. */
  heedSyncs(heed: (zoneId: string | undefined) => void): void
}

/** Why masters are asked before their time. */
export type TransferReason = 'wanted' | 'notified'

/** A node as it has said of itself last. */
export type Node = {
  readonly name: string
  /** Where others reach its API. */
  readonly url: string
  readonly version: string
  /** Digest of the settings that should be the same at all nodes. */
  readonly settings: string
  /** Up to where it has the log. */
  readonly lsn: number
  /** Hexadecimal: the same at all nodes of the same LSN. */
  readonly link: string
  readonly hasDuty: boolean
  /** Whether it was seen within the last minute. */
  readonly isLive: boolean
  readonly seenSecondsAgo: number
  /** Its clock beside that of PostgreSQL. */
  readonly clockAheadSeconds: number
  /** The hour since the epoch before which its usage is handed over; null where it has handed over none. */
  readonly meteredUntil: number | null
}

/** A server over a store of its own. */
export const alone: Cluster = {
  node: undefined,
  duty: soleDuty,
  nodeCount: 1,
  reachedAt: () => undefined,
  nodes: () => [],
  remove: async () => 'unknown',
  isGone: node => node !== undefined,
  wantTransfer: () => undefined,
  heedTransfers: () => undefined,
  passOnSync: () => undefined,
  heedSyncs: () => undefined,
}
