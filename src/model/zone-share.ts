import type { Stamped } from './stamped.ts'

/** A zone opened to another project: it may read all of it, and add recordsets of its own. */
export type ZoneShare = Stamped & {
  readonly zoneId: string
  readonly targetProjectId: string
}
