/** An error that the operator has to fix. The message is one line that says how; the program prints it and ends with the code. */
export class OperatorError extends Error {
  override readonly name = this.constructor.name
  /** By default sysexits.h: an address or a lock is taken, or the data needs manual repair. */
  readonly exitCode: number = 69
}

/** What helps where the system refuses something to a program that has no defect. */
const remedies: Readonly<Record<string, string>> = {
  EACCES: 'Let the user that runs this read and write it',
  EPERM: 'Let the user that runs this read and write it',
  ENOTDIR: 'Move away the file that is in the place of a directory',
  EEXIST: 'Move away what is in its place',
  EISDIR: 'Move away the directory that is in the place of a file',
  ENOSPC: 'Make room on the disk',
  EDQUOT: 'Make room in the quota',
  EROFS: 'The disk is read-only',
  EMFILE: 'Allow more open files (ulimit -n)',
  EIO: 'The disk has failed',
}

/** An error that the system has raised, as one that the operator has to fix; undefined for any other. */
export function systemErrorOf(error: unknown): OperatorError | undefined {
  if (!(error instanceof Error)) return undefined
  const remedy = remedies[(error as NodeJS.ErrnoException).code ?? '']
  if (remedy === undefined) return undefined
  return new OperatorError(`${error.message}. ${remedy}`, { cause: error })
}
