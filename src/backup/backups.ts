import { relative } from 'node:path'
import type { Clock } from '../clock.ts'
import type { CapturedFile, CapturedFiles } from '../durable/captured-file.ts'
import { type FileSystem, realFiles } from '../durable/file-system.ts'
import {
  type ArchivedFile,
  type ArchiveInfo,
  archiveFormat,
  fileOf,
  writeArchive,
} from './write-archive.ts'

type BackupsOptions = {
  /** The data directory. */
  readonly directory: string
  /** All parts with files in it that belong in a backup. */
  readonly parts: readonly CapturedFiles[]
  readonly clock: Clock
  readonly version: string
  readonly files?: FileSystem
}

/** How often the files are listed again because one was removed before it was opened. Files are replaced every few minutes. */
const maxTries = 10

type OpenFile = ArchivedFile & { close(): Promise<void> }

/** Makes archives of a data directory that is in use.
 *
 *  All parts list their files in one step, so together these are what a crash at that instant would have left: every
 *  acknowledged change is among them, and a start recovers from them as from a crash. All files are opened at once; a file that
 *  is removed later stays readable while it is open, and one that is appended to is read up to its durable end. So no other work
 *  waits for a backup. */
export class Backups {
  readonly #options: BackupsOptions
  #runningCount = 0

  constructor(options: BackupsOptions) {
    this.#options = options
  }

  /** Backups that are being read. */
  get runningCount(): number {
    return this.#runningCount
  }

  /** The octets of an archive with every change that was acknowledged before the first octet was requested. Holds one piece of a
   *  file in memory at a time. */
  async *archive(): AsyncGenerator<Buffer> {
    this.#runningCount += 1
    const opened: OpenFile[] = []
    try {
      const info = await this.#open(opened)
      yield* writeArchive(info, opened)
    } finally {
      this.#runningCount -= 1
      await closeAll(opened)
    }
  }

  async #open(opened: OpenFile[]): Promise<ArchiveInfo> {
    const { parts, clock, version } = this.#options
    for (let left = maxTries; ; left -= 1) {
      const at = new Date(clock.nowMillis()).toISOString()
      const captured = parts.flatMap(part => part.capture())
      const outcomes = await Promise.allSettled(captured.map(file => this.#openFile(file)))
      opened.push(...outcomes.flatMap(each => (each.status === 'fulfilled' ? each.value : [])))
      const failed = outcomes.find(each => each.status === 'rejected')
      if (failed === undefined) return { format: archiveFormat, version, at }
      await closeAll(opened.splice(0))
      if (failed.reason.code !== 'ENOENT' || left === 1) throw failed.reason
    }
  }

  async #openFile({ path, octets, content }: CapturedFile): Promise<OpenFile> {
    const { directory, files = realFiles } = this.#options
    const name = relative(directory, path)
    if (content !== undefined) return { ...fileOf(name, content), close: async () => undefined }
    const file = await files.openToRead(path)
    return { ...file, name, octets: octets ?? (await file.size()) }
  }
}

async function closeAll(files: readonly OpenFile[]): Promise<void> {
  for (const file of files) await file.close()
}
