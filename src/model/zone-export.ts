import type { Stamped } from './stamped.ts'

/** A request for a zone as text. The text is made when it is fetched, so only the request is stored. */
export type ZoneExport = Stamped & {
  readonly zoneId: string
  /** The zone's owner at that time: a later owner of the zone does not get its exports. */
  readonly projectId: string
}
