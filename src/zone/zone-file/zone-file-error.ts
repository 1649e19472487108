/** A zone file cannot be read; says where and why. */
export class ZoneFileError extends Error {
  override readonly name = 'ZoneFileError'
  /** From 1: where the entry begins. */
  readonly line: number

  constructor(line: number, problem: string, options?: ErrorOptions) {
    super(`line ${line}: ${problem}`, options)
    this.line = line
  }
}
