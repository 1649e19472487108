import type { Stamped } from './stamped.ts'

/** A wish for a zone as text. The text is made when it is fetched, so all there is to keep is the wish. */
export type ZoneExport = Stamped & {
  readonly zoneId: string
  /** The zone's owner at that time: whoever gets the zone later does not get its exports. */
  readonly projectId: string
}
