import { OperatorError } from '../operator-error.ts'

/** A write was refused before any of it was kept: the content of the disk is known, and the write can be retried when there is
 *  room. */
export class NoRoomError extends OperatorError {
  /** @param cause what the system reported
   *  @param what could not be done, for the operator */
  constructor(cause: unknown, what?: string) {
    super(what === undefined ? reasonOf(cause) : `${what}: ${reasonOf(cause)}`, { cause })
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the disk is read-only',
  // By connections, perhaps.
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
}

/** Whether the system refused to write at all, as on a full disk. After any other failure it is unknown what was written. */
export function isRefusedWrite(error: unknown): boolean {
  return codeOf(error) in reasons
}

function reasonOf(cause: unknown): string {
  return cause instanceof NoRoomError ? cause.message : (reasons[codeOf(cause)] ?? String(cause))
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException | undefined)?.code ?? ''
}
