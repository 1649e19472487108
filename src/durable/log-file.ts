import type { AppendFile, FileSystem } from './file-system.ts'
import { isRefusedWrite, NoRoomError } from './no-room.ts'

/** An append-only file whose end is known: up to `lengthOctets` it is on the disk, and nothing is behind that. Once
 *  an append has failed in a way that leaves this unknown, no other is tried. */
export class LogFile {
  readonly #file: AppendFile
  #lengthOctets: number
  #failure: unknown

  private constructor(file: AppendFile, lengthOctets: number) {
    this.#file = file
    this.#lengthOctets = lengthOctets
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

  /** Octets that are on the disk. */
  get lengthOctets(): number {
    return this.#lengthOctets
  }

  /** Whether it cannot be known what the file holds. */
  get hasFailed(): boolean {
    return this.#failure !== undefined
  }

  /** Resolves when the octets are on the disk.
   *  @throws NoRoomError nothing of them is in the file, also after a loss of power
   *  @throws Error it cannot be known what the file holds */
  async append(octets: Uint8Array): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure
    try {
      await this.#append(octets)
    } catch (error) {
      if (!(error instanceof NoRoomError)) this.#failure = error
      throw error
    }
  }

  close(): Promise<void> {
    return this.#file.close()
  }

  async #append(octets: Uint8Array): Promise<void> {
    try {
      await this.#file.append(octets)
    } catch (error) {
      if (!isRefusedWrite(error)) throw error
      await this.#takeBack()
      throw new NoRoomError(error)
    }
    // A disk that has no room only when it syncs says so too late: the kernel may have dropped what it could not write.
    await this.#file.sync()
    this.#lengthOctets += octets.length
  }

  /** Cuts off what was written of an append. The sync is part of it: a part of a commit that came back after a loss
   *  of power would be a commit that was refused, and later ones are written over it. */
  async #takeBack(): Promise<void> {
    if ((await this.#file.size()) === this.#lengthOctets) return
    await this.#file.truncate(this.#lengthOctets)
    await this.#file.sync()
  }
}
