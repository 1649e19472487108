import type { Stamped } from './stamped.ts'

/** The record of a zone whose ownership was transferred. */
export type ZoneTransferAccept = Stamped & {
  readonly zoneTransferRequestId: string
  readonly zoneId: string
  /** The project that received the zone. */
  readonly projectId: string
}
