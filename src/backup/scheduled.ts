import { createReadStream, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import { makeDurableDirectory } from '../durable/directories.ts'
import type { FileSystem } from '../durable/file-system.ts'
import { temporarySuffix, writeNewFile } from '../durable/replace-file.ts'
import type { Backups } from './backups.ts'
import { ArchiveError, readArchive, skipFile } from './read-archive.ts'

type ScheduledOptions = {
  readonly backups: Pick<Backups, 'archive'>
  readonly files: FileSystem
  readonly clock: Clock
  /** Where archives are kept. */
  readonly directory: string
  readonly everyHours: number
  /** How many are kept. */
  readonly keep: number
}

const fileName = /^zonewright-(\d{4})-(\d\d)-(\d\d)T(\d\d)(\d\d)(\d\d)Z\.tar$/
const unfinishedName = new RegExp(`${fileName.source.slice(0, -1)}\\${temporarySuffix}$`)

/** Writes an archive to a directory every few hours, reads it back, and removes the oldest. */
export class ScheduledBackups {
  readonly #options: ScheduledOptions

  constructor(options: ScheduledOptions) {
    this.#options = options
  }

  /** Makes a backup if one is due, judged by the latest archive in the directory, so a restart changes nothing. */
  async run(): Promise<void> {
    const { clock, everyHours } = this.#options
    const nowMillis = clock.nowMillis()
    const latest = (await this.#names(nowMillis)).at(-1)
    const ageMillis = latest === undefined ? Number.POSITIVE_INFINITY : nowMillis - timeOf(latest)
    if (ageMillis < 0 || ageMillis >= everyHours * 3_600_000) await this.#write(nowMillis)
  }

  async #write(nowMillis: number): Promise<void> {
    const { files, directory, keep } = this.#options
    await makeDurableDirectory(files, directory)
    // Of a backup that a crash ended. Its name is not used again, so nothing else would remove it.
    const unfinished = (await files.list(directory)).filter(name => unfinishedName.test(name))
    for (const name of unfinished) await files.remove(join(directory, name))
    const path = join(directory, nameOf(nowMillis))
    await saveArchive(files, path, this.#options.backups.archive())
    // After a power cut, the disk may have a removal and lack the new name.
    await files.syncDirectory(directory)
    const names = await this.#names(nowMillis)
    for (const name of names.slice(0, Math.max(0, names.length - keep)))
      await files.remove(join(directory, name))
  }

  /** Oldest first. Those from the future come before all others: they were made while the clock was ahead. */
  async #names(nowMillis: number): Promise<readonly string[]> {
    const { files, directory } = this.#options
    const names = (await files.list(directory)).filter(name => fileName.test(name))
    const isAhead = (name: string) => timeOf(name) > nowMillis
    return [...names.filter(isAhead), ...names.filter(name => !isAhead(name))]
  }
}

/** Writes an archive to a file that exists completely or not at all, and verifies it against its sums once it is on the disk.
 *  @throws ArchiveError what was written cannot be restored, and is removed; a device or a directory is in the file's place */
export async function saveArchive(
  files: FileSystem,
  path: string,
  archive: AsyncIterable<Uint8Array>,
): Promise<Awaited<ReturnType<typeof readArchive>>> {
  // Renaming the archive to /dev/stdout would take that from all other programs.
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false)
    throw new ArchiveError(`${path} is not a regular file; standard output is -`)
  const temporary = path + temporarySuffix
  try {
    await writeNewFile(files, temporary, async file => {
      for await (const piece of archive) await file.append(piece)
    })
    const read = await verifyArchive(temporary)
    await files.rename(temporary, path)
    return read
  } catch (error) {
    await files.remove(temporary).catch(() => undefined)
    throw error
  }
}

/** Reads the archive in a file and verifies every file of it against its sum.
 *  @throws ArchiveError */
export function verifyArchive(path: string): ReturnType<typeof readArchive> {
  return readArchive(createReadStream(path), skipFile)
}

function nameOf(millis: number): string {
  const [seconds] = new Date(millis).toISOString().replaceAll(':', '').split('.')
  return `zonewright-${seconds}Z.tar`
}

function timeOf(name: string): number {
  const [, year, month, day, hour, minute, second] = fileName.exec(name) ?? []
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
}
