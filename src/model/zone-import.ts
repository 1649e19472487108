import type { Stamped } from './stamped.ts'
import type { TaskState } from './task-state.ts'

/** A zone that is made of a master file. The file is not kept. */
export type ZoneImport = Stamped &
  TaskState & {
    readonly projectId: string
    /** Null until there is a zone. */
    readonly zoneId: string | null
  }
