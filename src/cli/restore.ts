import { open } from 'node:fs/promises'
import { ArchiveError, type ReadArchive } from '../backup/read-archive.ts'
import { restoreArchive } from '../backup/restore.ts'
import { systemClock } from '../clock.ts'
import { UsageError } from '../config/command-line.ts'
import type { Config } from '../config/config.ts'
import { ConfigError } from '../config/config-error.ts'
import { realFiles } from '../durable/file-system.ts'
import { OperatorError, systemErrorOf } from '../operator-error.ts'
import { RewindError, type RewindPoint, type Rewound, rewindStore } from '../store/rewind.ts'
import { type CheckOutcome, checkData } from './check.ts'

// The composition root of `restore`.

export type Restored = {
  /** What was done, in readable form. */
  readonly lines: readonly string[]
  readonly outcome: CheckOutcome
}

/** Restores an archive into an empty data directory, rewinds the data to a point of its log if one is given, and then checks
 *  the result.
 *  @throws OperatorError the archive is not as it was written, or from a later version; the directory is not empty, or cannot be
 *  filled: it is unchanged
 *  @throws ConfigError the point is invalid, or not in the log: in the latter case the directory has all of the archive
 *  @throws UsageError the archive cannot be read
 *  @throws StoreLockedError */
export async function restoreData(
  config: Config,
  given: { readonly directory: string; readonly file: string; readonly at: string | undefined },
): Promise<Restored> {
  const { directory, file, at } = given
  const point = at === undefined ? undefined : pointOf(at)
  const { info, fileCount, octets } = await restoreFile(file, directory)
  const lines = [`Restored: ${fileCount} files, ${octets} octets, as of ${info.at}`]
  if (point !== undefined) {
    const { lsn, rowCount } = await rewind(directory, point)
    lines.push(`Rows as they were behind change ${lsn}: ${rowCount}`)
  }
  return { lines, outcome: await checkData(config, directory) }
}

async function restoreFile(file: string, directory: string): Promise<ReadArchive> {
  const source = file === '-' ? process.stdin : await opened(file)
  try {
    return await restoreArchive(source, { files: realFiles, directory })
  } catch (cause) {
    const known = cause instanceof ArchiveError ? cause : systemErrorOf(cause)
    if (known === undefined) throw cause
    const name = file === '-' ? 'standard input' : file
    throw new OperatorError(`${name} cannot be restored: ${known.message}`, { cause })
  }
}

async function opened(file: string) {
  try {
    return (await open(file)).createReadStream()
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    // The package's command works as the owner of the data, who may not read files of root.
    const remedy = code === 'EACCES' ? `. From standard input: restore - < ${file}` : ''
    throw new UsageError(message + remedy, { cause })
  }
}

async function rewind(directory: string, point: RewindPoint): Promise<Rewound> {
  try {
    return await rewindStore({ directory, clock: systemClock }, point)
  } catch (cause) {
    if (!(cause instanceof RewindError)) throw cause
    throw new ConfigError(`${cause.message}; ${directory} is as of the backup`, { cause })
  }
}

/** @throws ConfigError it is neither a number nor a time */
function pointOf(text: string): RewindPoint {
  if (/^\d+$/.test(text)) return { lsn: Number(text) }
  const millis = Date.parse(text)
  if (Number.isNaN(millis))
    throw new ConfigError(`--at ${text} is neither the number of a change nor a time (ISO 8601)`)
  return { atMicros: millis * 1000 }
}
