import type { Stamped } from './stamped.ts'

/** A name server of a pool: its zones' apex NS, lowest priority first. */
export type NsRecord = { readonly hostname: string; readonly priority: number }

/** A name server as stored, with an id that stays when its name changes. Times are microseconds. */
export type StoredNsRecord = NsRecord & {
  readonly id: string
  readonly createdAt: number
  readonly updatedAt: number | null
}

/** A collection of targets that serve the same zones. */
export type Pool = Stamped & {
  readonly projectId: string | null
  readonly name: string
  readonly description: string | null
  readonly provisioner: string | null
  readonly attributes: Readonly<Record<string, string>>
  readonly nsRecords: readonly StoredNsRecord[]
  /** Of the default pool: the name servers from the settings when they were last applied. */
  readonly configuredNameServers?: readonly string[]
  /** The name servers have changed, and not all zones of the pool have been updated yet. */
  readonly isRewritePending?: true
}

/** The pool that exists from the first start. */
export const defaultPoolId = '794ccc2c-d751-44fe-b57f-8894c9f5c842'

/** The name server of the default pool until its operator sets the real ones. `.example` is reserved (RFC 2606
 *  section 2), so a server that was never set up sends no resolver to a third party's machine. */
export const defaultNsRecords: readonly NsRecord[] = [
  { hostname: 'ns1.zonewright.example.', priority: 1 },
]

/** Whether a pool still has the placeholder name servers. */
export function hasPlaceholder({ nsRecords }: Pick<Pool, 'nsRecords'>): boolean {
  return nsRecords.some(record => defaultNsRecords.some(each => isSameServer(each, record)))
}

/** The pool's name servers in the order they are listed: by priority, then by name. */
export function nsRecordsInOrder<R extends NsRecord>(pool: {
  readonly nsRecords: readonly R[]
}): readonly R[] {
  return pool.nsRecords.toSorted(
    (a, b) => a.priority - b.priority || (a.hostname < b.hostname ? -1 : 1),
  )
}

/** Whether two name servers are the same; names are compared ignoring case. */
export function isSameServer(
  one: Pick<NsRecord, 'hostname'>,
  other: Pick<NsRecord, 'hostname'>,
): boolean {
  return one.hostname.toLowerCase() === other.hostname.toLowerCase()
}
