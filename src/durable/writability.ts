import { type FileSystem, SyncError } from './file-system.ts'
import { isRefusedWrite, NoRoomError } from './no-room.ts'
import { writeNewFile } from './replace-file.ts'

/** Whether files may be written. They may until a write fails. If the disk had no room and nothing was written, they may again
 *  when there is room; after any other failure the content of the disk is unknown, and they may not before the next start. */
export class Writability {
  #error: unknown
  #isFinal = false

  /** Why nothing is written at present, without paths; undefined while files may be written. */
  get reason(): string | undefined {
    if (this.#error === undefined) return undefined
    return this.#isFinal
      ? 'a write to the disk has failed: changes are taken again after a restart'
      : `${messageOf(this.#error)}: changes are taken again when they can be written`
  }

  /** The error from the disk, for the log. */
  get error(): unknown {
    return this.#error
  }

  /** Whether only a restart can determine what the disk holds. */
  get hasFailed(): boolean {
    return this.#isFinal
  }

  /** Whether writing waits for room. */
  get isWaiting(): boolean {
    return this.#error !== undefined && !this.#isFinal
  }

  /** Notes a failure. Returns whether it is the first. */
  fail(error: unknown): boolean {
    const isFirst = this.#error === undefined
    if (this.#isFinal) return isFirst
    this.#isFinal = !isForWantOfRoom(error)
    if (isFirst || this.#isFinal)
      this.#error = isRefusedWrite(error) ? new NoRoomError(error) : error
    return isFirst
  }

  /** Notes that there is room again. */
  resume(): void {
    if (this.isWaiting) this.#error = undefined
  }
}

/** A part that writes to the disk and may be unable to. */
export type Writing = { readonly readOnlyReason: string | undefined }

/** Why one of several parts does not write at present; undefined while all do. */
export function readOnlyReasonOf(parts: readonly Writing[]): string | undefined {
  return parts.find(({ readOnlyReason }) => readOnlyReason !== undefined)?.readOnlyReason
}

/** Whether a write failed in a way that left nothing behind. */
export function isForWantOfRoom(error: unknown): boolean {
  return error instanceof NoRoomError || isRefusedWrite(error)
}

/** Room that must be free before writing resumes: otherwise it would stop again at once. */
const roomOctets = 2 ** 20

/** Tests by writing whether the disk takes writes again. */
export async function hasRoom(files: FileSystem, directory: string): Promise<boolean> {
  return requireRoom(files, directory, roomOctets).then(
    () => true,
    () => false,
  )
}

/** Tests by writing whether the disk takes so many octets. @throws Error that of the disk: it does not */
export async function requireRoom(
  files: FileSystem,
  directory: string,
  octets: number,
): Promise<void> {
  const path = `${directory}/room.tmp`
  try {
    await writeNewFile(files, path, file => file.append(Buffer.alloc(octets, 1)))
  } catch (error) {
    // The file holds nothing of value, so all that counts is the cause.
    throw error instanceof SyncError ? error.cause : error
  } finally {
    await files.remove(path).catch(() => undefined)
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
