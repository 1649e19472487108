/** The progress of a task that continues after its request has been answered. */
type TaskStatus = 'PENDING' | 'COMPLETE' | 'ERROR'

export type TaskState = {
  readonly status: TaskStatus
  /** The result in words; null while there is none. */
  readonly message: string | null
}
