import type { Owner } from './account.ts'

/** A zone as it is metered. */
export type MeteredZone = {
  readonly owner: Owner
  readonly recordsetCount: number
  /** Where its queries are counted; undefined while it is not served. */
  readonly zoneNumber: number | undefined
  /** Of its row, in milliseconds. */
  readonly createdAt: number
  readonly changedAt: number
}

/** The metered zones, and the counts of the answering threads for each. */
export type MeteredZones = {
  /** Undefined for a zone that is deleted, being deleted or abandoned. */
  find(zoneId: string): MeteredZone | undefined
  all(): Iterable<MeteredZone>
  /** Whether a zone is still answered although it has no owner any more. */
  isAbandoned(zoneId: string): boolean
  /** Zone numbers are numbers below this. */
  readonly zoneNumberCount: number
  /** The id of the zone that has a zone number. */
  findByNumber(zoneNumber: number): string | undefined
  /** What all threads together have counted in a zone number so far, in the order of a tally. */
  count(zoneNumber: number, at: number): number
}
