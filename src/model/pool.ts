import type { Stamped } from './stamped.ts'

/** A name server of a pool: its zones' apex NS, lowest priority first. */
export type NsRecord = { readonly hostname: string; readonly priority: number }

/** A collection of targets that serve the same zones. */
export type Pool = Stamped & {
  readonly projectId: string | null
  readonly name: string
  readonly description: string | null
  readonly provisioner: string | null
  readonly attributes: Readonly<Record<string, string>>
  readonly nsRecords: readonly NsRecord[]
  /** The name servers have changed, and not all zones of the pool say so yet. */
  readonly isRewritePending?: true
}

/** The pool that exists from the first start. */
export const defaultPoolId = '794ccc2c-d751-44fe-b57f-8894c9f5c842'

/** The name server of the default pool until its operator gives the real ones. `.example` is reserved (RFC 2606
 *  section 2), so a server that was never set up sends no resolver to somebody else's machine. */
export const defaultNsRecords: readonly NsRecord[] = [
  { hostname: 'ns1.zonewright.example.', priority: 1 },
]

/** The pool's name servers in the order they are told: by priority, then by name. */
export function nsRecordsInOrder(pool: Pick<Pool, 'nsRecords'>): readonly NsRecord[] {
  return pool.nsRecords.toSorted(
    (a, b) => a.priority - b.priority || (a.hostname < b.hostname ? -1 : 1),
  )
}
