import { join } from 'node:path'
import type { Place } from '../../durable/file-system.ts'
import { replaceFile } from '../../durable/replace-file.ts'
import type { LocalLog } from '../commit-log.ts'
import type { Connection } from './connection.ts'
import { CopyError } from './errors.ts'
import { type BatchRow, batchOf, entriesIn } from './log-batch.ts'
import { DivergedError, type Position } from './position.ts'

// What a node keeps of the shared log for its next start: a store as one process of its own has it, and this file beside it.

/** What a directory is a copy of. */
export type Copy = {
  /** Id of the log. */
  readonly cluster: string
  /** Where the log was when the copy was made from rows. */
  readonly lsn: number
  /** Hexadecimal. */
  readonly link: string
}

export function copyPath(directory: string): string {
  return join(directory, 'copy.json')
}

/** Undefined where a directory has no copy. */
export async function readCopy({ files, directory }: Place): Promise<Copy | undefined> {
  const octets = await files.read(copyPath(directory))
  return octets && (JSON.parse(octets.toString()) as Copy)
}

/** @throws CopyError a directory is a copy, and not a store of its own */
export async function requireNoCopy(place: Place): Promise<void> {
  if ((await readCopy(place)) === undefined) return
  throw new CopyError(
    `${place.directory} is a copy of the log that several nodes share: set ZONEWRIGHT_STORE_URL, or another ZONEWRIGHT_DATA_DIR`,
  )
}

export async function writeCopy({ files, directory }: Place, copy: Copy): Promise<void> {
  const octets = Buffer.from(`${JSON.stringify(copy)}\n`)
  await replaceFile(files, copyPath(directory), octets)
  await files.syncDirectory(directory)
}

/** Finds the place in the log that a copy ends at: its last commits are those of the log, or it was made there.
 *  @throws DivergedError the log has other commits there, or none any more */
export async function locateCopy(
  connection: Connection,
  { copy, local, lastLsn }: { copy: Copy; local: Pick<LocalLog, 'read'>; lastLsn: number },
): Promise<Position> {
  if (lastLsn === copy.lsn) return { lsn: lastLsn, link: Buffer.from(copy.link, 'hex') }
  const { rows } = await connection.query<BatchRow>(
    'select first_lsn, last_lsn, link, body from zw_log where last_lsn = $1',
    [lastLsn],
  )
  const [row] = rows
  if (row === undefined) throw new DivergedError(`the log has no batch that ends with ${lastLsn}`)
  const { first, link, body } = batchOf(row)
  const entries = entriesIn(body)
  let next = first
  for await (const { number, entry } of local.read(first - 1)) {
    const own = entries[number - first]
    if (number !== next || own === undefined || !own.equals(entry)) break
    next += 1
  }
  if (next === lastLsn + 1) return { lsn: lastLsn, link }
  throw new DivergedError(`the log has another commit ${next} than this node`)
}
