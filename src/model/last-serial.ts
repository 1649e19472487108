import type { Stamped } from './stamped.ts'

/** The serial that a zone had when it was deleted, where the clock is not past it: a zone of its name goes on from there, so
 *  that secondaries that still have the former one take it for newer. */
export type LastSerial = Stamped & {
  /** In lower case. */
  readonly zoneName: string
  readonly poolId: string
  /** Whose zone it was. */
  readonly projectId: string
  readonly serial: number
}
