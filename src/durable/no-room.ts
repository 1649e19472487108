/** The disk has refused a write before anything of it was kept: what is on the disk is known, and the write can be
 *  tried again when there is room. */
export class NoRoomError extends Error {
  override readonly name = 'NoRoomError'

  /** @param cause what the system said
   *  @param what could not be done, for a person who has to see to it */
  constructor(cause: unknown, what?: string) {
    super(what === undefined ? reasonOf(cause) : `${what}: ${reasonOf(cause)}`, { cause })
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the disk is read-only',
}

/** Whether the system refused to write at all, as on a full disk. Any other failure leaves unknown what was written. */
export function isRefusedWrite(error: unknown): boolean {
  return codeOf(error) in reasons
}

function reasonOf(cause: unknown): string {
  return cause instanceof NoRoomError ? cause.message : (reasons[codeOf(cause)] ?? String(cause))
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException | undefined)?.code ?? ''
}
