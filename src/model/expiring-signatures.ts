import type { Stamped } from './stamped.ts'

/** A zone whose signatures were not renewed in time; its id is the zone's. While this row exists, it is not reported again. */
export type ExpiringSignatures = Stamped & {
  readonly projectId: string
  readonly zoneName: string
  /** When the first signature expires, in microseconds since the Unix epoch. */
  readonly nearestExpiration: number
}
