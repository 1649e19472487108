import type { Stamped } from './stamped.ts'

/** The record of a zone that has changed hands. */
export type ZoneTransferAccept = Stamped & {
  readonly zoneTransferRequestId: string
  readonly zoneId: string
  /** The project that has the zone by it. */
  readonly projectId: string
}
