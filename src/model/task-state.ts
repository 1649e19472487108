/** How far a task is that is worked on after its request has been answered. */
export type TaskStatus = 'PENDING' | 'COMPLETE' | 'ERROR'

export type TaskState = {
  readonly status: TaskStatus
  /** What has come of it, for people; null while there is nothing to say. */
  readonly message: string | null
}
