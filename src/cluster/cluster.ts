import { type Duty, soleDuty } from './duty.ts'

/** What the parts of a server need to know about the other nodes over its store. */
export type Cluster = {
  /** The name of this node; undefined where it is the only one. */
  readonly node: string | undefined
  readonly duty: Duty
  /** The number of nodes that were seen lately, including this one. */
  readonly nodeCount: number
  /** Sets the URL at which others reach the API of this node, unless the settings say so. */
  reachedAt(url: string): void
  /** All nodes, by name; none where the server is alone. */
  nodes(): readonly Node[]
  /** Removes a node that is not to come back.
   *  @returns why it was not removed */
  remove(name: string): Promise<'unknown' | 'live' | undefined>
  /** Whether a node will not finish what it has begun: it has not been seen for a minute, or is no longer a node.
   *  @param node undefined: a server that was alone */
  isGone(node: string | undefined): boolean
  /** Has the holder of the duty query the masters of a SECONDARY zone. A request that is lost on the way is made up for
   *  when the zone falls due. */
  wantTransfer(zoneId: string, reason: TransferReason): void
  /** Sets the handler for nodes that want a transfer, called while this node has the duty. */
  handleTransfers(handle: (zoneId: string, reason: TransferReason) => void): void
  /** Has the other nodes take the stored data of a zone again.
   *  @param zoneId undefined: of all zones */
  passOnSync(zoneId?: string): void
  /** Sets the handler for syncs that other nodes pass on. */
  handleSyncs(handle: (zoneId: string | undefined) => void): void
}

/** Why masters are queried before the zone falls due, first what has most done. `whole`: to replace the copy, whatever their serial. */
export const transferReasons = ['whole', 'wanted', 'notified'] as const
export type TransferReason = (typeof transferReasons)[number]

/** Of two reasons, the one that has more done. */
export function stronger(one: TransferReason | undefined, other: TransferReason): TransferReason {
  return transferReasons.find(reason => reason === one || reason === other) ?? other
}

/** A node as it last described itself. */
export type Node = {
  readonly name: string
  /** Where others reach its API. */
  readonly url: string
  readonly version: string
  /** Digest of the settings that should be the same at all nodes. */
  readonly settings: string
  /** The position up to which it has the log. */
  readonly lsn: number
  /** Hexadecimal: the same at all nodes with the same LSN. */
  readonly link: string
  readonly hasDuty: boolean
  /** Whether it was seen within the last minute. */
  readonly isLive: boolean
  readonly seenSecondsAgo: number
  /** How far its clock is ahead of that of PostgreSQL. */
  readonly clockAheadSeconds: number
  /** Whether the copy on its disk could not be written, and stays as it was until the next start. */
  readonly isCopyBehind: boolean
  /** Why it takes no changes; undefined where nothing is known that keeps it from that. */
  readonly problem: string | undefined
  /** The hour since the epoch up to which it has handed over its usage; null where it has handed over none. */
  readonly meteredUntil: number | null
}

/** A server that shares its store with no other node. */
export const alone: Cluster = {
  node: undefined,
  duty: soleDuty,
  nodeCount: 1,
  reachedAt: () => undefined,
  nodes: () => [],
  remove: async () => 'unknown',
  isGone: node => node !== undefined,
  wantTransfer: () => undefined,
  handleTransfers: () => undefined,
  passOnSync: () => undefined,
  handleSyncs: () => undefined,
}
