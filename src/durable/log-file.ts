import type { AppendFile, FileSystem } from './file-system.ts'
import { isRefusedWrite, NoRoomError } from './no-room.ts'

/** An append-only file whose end is known: up to `lengthOctets` it is on the disk, or will be with the next sync, and nothing
 *  is behind that. Once an append has failed in a way that leaves this unknown, no other is tried. */
export class LogFile {
  readonly #file: AppendFile
  #lengthOctets: number
  #failure: unknown
  #syncedOctets: number

  private constructor(file: AppendFile, lengthOctets: number) {
    this.#file = file
    this.#lengthOctets = lengthOctets
    this.#syncedOctets = lengthOctets
  }

  /** Opens a file of which the first octets are sound, a new one where there is none. What is behind them is cut off.
   *  They are synced: a process that ended before its sync may have left them in the memory of the machine only. The
   *  file's name is not.
   *  @throws NoRoomError it cannot be made or written to at present */
  static async open(files: FileSystem, path: string, lengthOctets: number): Promise<LogFile> {
    const octets = await files.size(path)
    const file = await files.open(path).catch(error => {
      throw isRefusedWrite(error) ? new NoRoomError(error) : error
    })
    try {
      if (octets > lengthOctets) await file.truncate(lengthOctets)
      if (octets > 0) await file.sync()
    } catch (error) {
      await file.close()
      throw error
    }
    return new LogFile(file, lengthOctets)
  }

  /** Octets of what was appended. */
  get lengthOctets(): number {
    return this.#lengthOctets
  }

  /** Whether it cannot be known what the file holds. */
  get hasFailed(): boolean {
    return this.#failure !== undefined
  }

  /** Resolves when the octets are on the disk.
   *  @param isSynced otherwise they are in the file, and a loss of power before the next sync may take any part of them away
   *  @throws NoRoomError nothing of them is in the file, also after a loss of power
   *  @throws Error it cannot be known what the file holds */
  async append(octets: Uint8Array, isSynced = true): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure
    try {
      await this.#append(octets, isSynced)
    } catch (error) {
      if (!(error instanceof NoRoomError)) this.#failure = error
      throw error
    }
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

  close(): Promise<void> {
    return this.#file.close()
  }

  async #append(octets: Uint8Array, isSynced: boolean): Promise<void> {
    try {
      await this.#file.append(octets)
    } catch (error) {
      if (!isRefusedWrite(error)) throw error
      await this.#takeBack()
      throw new NoRoomError(error)
    }
    // A disk that has no room only when it syncs says so too late: the kernel may have dropped what it could not write.
    if (isSynced) await this.#file.sync()
    this.#lengthOctets += octets.length
    if (isSynced) this.#syncedOctets = this.#lengthOctets
  }

  /** Cuts off what was written of an append. The sync is part of it: a part of a commit that came back after a loss
   *  of power would be a commit that was refused, and later ones are written over it. */
  async #takeBack(): Promise<void> {
    if ((await this.#file.size()) === this.#lengthOctets) return
    await this.#file.truncate(this.#lengthOctets)
    await this.#file.sync()
  }
}
