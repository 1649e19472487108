/** A file as it counts at an instant, for a backup. */
export type CapturedFile = {
  readonly path: string
  /** How many of its first octets count, where it is appended to; all when not given. */
  readonly octets?: number
  /** What it holds, where the file itself may be replaced at any time. */
  readonly content?: Buffer
}

/** A part that has files open. What several list in the same step is what a crash at that instant would have left. */
export type CapturedFiles = {
  /** The files that it would start from. They may be removed later, like any file of it. */
  capture(): readonly CapturedFile[]
}
