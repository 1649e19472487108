import type { AppendFile, FileSystem } from './file-system.ts'
import { isRefusedWrite, NoRoomError } from './no-room.ts'

/** Brief work for the time in which the disk works, even if it then refuses the write. It must not throw. */
export type Meanwhile = () => void

type LogFileOptions = {
  /** Of what is sound; 0 for a new file. */
  readonly lengthOctets: number
  /** Whether appends are on the disk when they resolve; by default they are. */
  readonly isSynced?: boolean
}

/** Room made at once for later appends, at most: zeros that they replace. A disk takes half the time for octets inside a file,
 *  since nothing else of the file changes. */
const maxRoomOctets = 128 * 1024

/** An append-only file whose end is known: up to `lengthOctets` it is on the disk, or will be with the next sync, and there is
 *  nothing after that but room for later appends. Once an append has failed in a way that leaves this unknown, no other is attempted. */
export class LogFile {
  readonly #file: AppendFile
  readonly #isSynced: boolean
  #lengthOctets: number
  /** With the room for later appends. */
  #sizeOctets: number
  #failure: unknown
  #syncedOctets: number

  private constructor(file: AppendFile, { lengthOctets, isSynced }: Required<LogFileOptions>) {
    this.#file = file
    this.#isSynced = isSynced
    this.#lengthOctets = lengthOctets
    this.#sizeOctets = lengthOctets
    this.#syncedOctets = lengthOctets
  }

  /** Opens a file whose first octets are sound, or a new one if it does not exist. The rest is cut off. The sound octets are
   *  synced, because a process that ended before its sync may have left them only in the machine's memory. The file's name is
   *  not synced.
   *  @throws NoRoomError it cannot be created or written to at present */
  static async open(
    files: FileSystem,
    path: string,
    { lengthOctets, isSynced = true }: LogFileOptions,
  ): Promise<LogFile> {
    const octets = await files.size(path)
    const file = await files.open(path, isSynced ? 'synced' : undefined).catch(error => {
      throw isRefusedWrite(error) ? new NoRoomError(error) : error
    })
    try {
      if (octets > lengthOctets) await file.truncate(lengthOctets)
      if (octets > 0) await file.sync()
    } catch (error) {
      await file.close()
      throw error
    }
    return new LogFile(file, { lengthOctets, isSynced })
  }

  /** Octets of what was appended. */
  get lengthOctets(): number {
    return this.#lengthOctets
  }

  /** Whether the content of the file is unknown. */
  get hasFailed(): boolean {
    return this.#failure !== undefined
  }

  /** Resolves when the octets are on the disk, or, where appends are not synced, in the file: a loss of power before the next sync
   *  may then lose any part of them.
   *  @param meanwhile called while the octets are synced
   *  @throws NoRoomError none of them are in the file, even after a loss of power
   *  @throws Error it cannot be known what the file holds */
  async append(octets: Uint8Array, meanwhile?: Meanwhile): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure
    try {
      const written = this.#write(octets)
      if (this.#isSynced) meanwhile?.()
      await written
    } catch (error) {
      throw await this.#refusalOf(error)
    }
    this.#lengthOctets += octets.length
    if (this.#isSynced) this.#syncedOctets = this.#lengthOctets
  }

  /** Resolves when all that was appended is on the disk.
   *  @throws Error it cannot be known what the file holds */
  async sync(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure
    const octets = this.#lengthOctets
    if (this.#syncedOctets === octets) return
    try {
      await this.#file.sync()
    } catch (error) {
      this.#failure = error
      throw error
    }
    // More may have been appended meanwhile.
    this.#syncedOctets = Math.max(this.#syncedOctets, octets)
  }

  /** Cuts off the room for later appends, if it is known where it begins. After a loss of power it may be there again. */
  async trim(): Promise<void> {
    if (this.#failure !== undefined || this.#sizeOctets === this.#lengthOctets) return
    await this.#file.truncate(this.#lengthOctets)
    this.#sizeOctets = this.#lengthOctets
  }

  close(): Promise<void> {
    return this.#file.close()
  }

  /** Makes as much room as the file has octets: a small log remains small. A long append makes none: what room saves is little beside
   *  it, and it would have to be copied. */
  #write(octets: Uint8Array): Promise<void> {
    const file = this.#file
    if (file.writeAt === undefined) return file.append(octets)
    const at = this.#lengthOctets
    const end = at + octets.length
    if (end <= this.#sizeOctets || octets.length > maxRoomOctets) {
      this.#sizeOctets = Math.max(this.#sizeOctets, end)
      return file.writeAt(octets, at)
    }
    const room = Buffer.alloc(Math.min(at, maxRoomOctets))
    // If it fails, either the room is cut off or nothing more is written.
    this.#sizeOctets = end + room.length
    return file.writeAt(Buffer.concat([octets, room]), at)
  }

  /** What an append that has failed rejects with. */
  async #refusalOf(error: unknown): Promise<unknown> {
    try {
      // A disk that reports lack of room only at the sync does so too late (`SyncError`): the kernel may have dropped what it
      // could not write.
      if (!isRefusedWrite(error)) throw error
      await this.#takeBack()
      return new NoRoomError(error)
    } catch (failure) {
      this.#failure = failure
      return failure
    }
  }

  /** Cuts off what was written of an append, and syncs the cut: otherwise a part of a refused commit could reappear after a loss
   *  of power, where later commits are written. */
  async #takeBack(): Promise<void> {
    this.#sizeOctets = this.#lengthOctets
    if ((await this.#file.size()) === this.#lengthOctets) return
    await this.#file.truncate(this.#lengthOctets)
    await this.#file.sync()
  }
}
