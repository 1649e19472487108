/** A file as valid at an instant, for a backup. */
export type CapturedFile = {
  readonly path: string
  /** How many of its first octets are valid, for a file that is appended to; by default, all. */
  readonly octets?: number
  /** Its content, if the file itself may be replaced at any time. */
  readonly content?: Buffer
}

/** A part of the program that has files open. The files that several parts list in the same step are what a crash at that
 *  instant would have left. */
export type CapturedFiles = {
  /** The files that the part would start from. They may be removed later, like any of its files. */
  capture(): readonly CapturedFile[]
}
