/** An error that the operator has to fix. The message is one line that says how; the program prints it and ends with the code. */
export class OperatorError extends Error {
  override readonly name = this.constructor.name
  /** By default sysexits.h: an address or a lock is taken, or the data needs manual repair. */
  readonly exitCode: number = 69
}
