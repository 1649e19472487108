import type { Stamped } from './stamped.ts'

/** The serial that a zone had when it was deleted. A new zone of that name continues from there, so that secondaries that still
 *  hold the former zone see it as newer. */
export type LastSerial = Stamped & {
  /** In lower case. */
  readonly zoneName: string
  readonly poolId: string
  /** The owner of the deleted zone. */
  readonly projectId: string
  readonly serial: number
}
