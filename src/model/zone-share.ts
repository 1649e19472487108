import type { Stamped } from './stamped.ts'

/** A zone shared with another project, which may read all of it and add recordsets. */
export type ZoneShare = Stamped & {
  readonly zoneId: string
  readonly targetProjectId: string
}
