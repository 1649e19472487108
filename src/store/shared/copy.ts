import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DamageError } from '../../durable/damage.ts'
import type { Place } from '../../durable/file-system.ts'
import { readJsonFile } from '../../durable/json-file.ts'
import type { PastEntry } from '../../durable/log-history.ts'
import { replaceFile } from '../../durable/replace-file.ts'
import { OperatorError } from '../../operator-error.ts'
import { decodeCommit } from '../commit-entry.ts'
import type { LocalLog } from '../commit-log.ts'
import { lineOf } from '../dump-log.ts'
import type { Lost, PastCommit } from '../store.ts'
import type { Connection } from './connection.ts'
import { type BatchRow, batchOf, entriesIn, linkBehind, readBehind, readEnd } from './log-batch.ts'
import { DivergedError, type Position } from './position.ts'

// The local copy that a node keeps of the shared log for its next start: a store like that of a single process, with this file
// beside it.

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

const remedy =
  'Restore it from a backup, or start with an empty data directory: the node then copies the log again'

/** The LSN of a copy whose rows are still being loaded. */
export const unfinishedLsn = -1

/** Undefined if a directory has no copy.
 *  @throws DamageError */
export async function readCopy({ files, directory }: Place): Promise<Copy | undefined> {
  return readJsonFile(files, copyPath(directory), { remedy })
}

/** Removes the rows of a useless copy. `copy.json` stays: without it the directory might hold a store of its own. */
export async function discardCopy(directory: string): Promise<void> {
  for (const name of ['segments', 'documents', 'manifest.json', 'manifest.json.prev', 'journal'])
    await rm(join(directory, name), { recursive: true, force: true })
}

/** Begins the name of an empty file that is beside one of lost commits, as long as they are not made up for. */
const unsettled = 'unsettled.'

/** Writes the commits of a copy that the log lacks to a file of lines, for inspection and to be made up for. The same ones are written
 *  to the same file again, after an interruption; others of the same numbers are not.
 *  @returns its path */
export async function setLostAside(
  { files, directory }: Place,
  commits: readonly PastCommit[],
): Promise<string> {
  const [first] = commits
  const name = `lost-${first?.lsn}-${first?.atMicros}.ndjson`
  const path = join(directory, name)
  await replaceFile(files, path, Buffer.from(commits.map(each => `${lineOf(each)}\n`).join('')))
  await replaceFile(files, join(directory, unsettled + name), Buffer.alloc(0))
  await files.syncDirectory(directory)
  return path
}

/** Reads the commits that were set aside and are not made up for yet.
 *  @throws DamageError one of them cannot be read */
export async function readLost({ files, directory }: Place): Promise<Lost> {
  const marks = (await files.list(directory)).filter(name => name.startsWith(unsettled))
  const commits: Lost['commits'][number][] = []
  for (const mark of marks) {
    const path = join(directory, mark.slice(unsettled.length))
    const lines = (await files.read(path))?.toString().split('\n') ?? []
    for (const [i, line] of lines.entries()) {
      if (line === '') continue
      try {
        commits.push(JSON.parse(line))
      } catch {
        const remedy = `Restore it from a backup. Without ${join(directory, mark)} it is left alone: the serials of the zones in it are then not raised, and secondaries that have its changes keep them`
        throw new DamageError(path, { problem: `line ${i + 1} is not JSON`, remedy })
      }
    }
  }
  const settle = async () => {
    for (const mark of marks) await files.remove(join(directory, mark))
  }
  return { commits, settle }
}

/** Finds the commits of a copy that the log lacks, as far as the log reaches back. */
export async function findLost(
  connection: Connection,
  local: Pick<LocalLog, 'read'>,
): Promise<readonly PastCommit[]> {
  const lost: PastCommit[] = []
  for await (const { number, entry, theirs } of besideLog(connection, local))
    if (lost.length > 0 || theirs?.equals(entry) !== true) lost.push(decodeCommit(number, entry))
  return lost
}

/** The first commit of a copy that differs from the log's, as far as both go. */
export async function firstUnlike(
  connection: Connection,
  local: Pick<LocalLog, 'read'>,
): Promise<number | undefined> {
  for await (const { number, entry, theirs } of besideLog(connection, local))
    if (theirs?.equals(entry) === false) return number
  return undefined
}

/** The commits of a copy, each beside that of the log, as far as the log reaches back. */
async function* besideLog(connection: Connection, local: Pick<LocalLog, 'read'>) {
  const { rows } = await connection.query<{ before: string }>(
    'select coalesce((select min(first_lsn) - 1 from zw_log), lsn) as before from zw_head',
  )
  const before = Number(rows[0]?.before)
  const log = entriesBehind(connection, before)
  let their = await log.next()
  for await (const { number, entry } of local.read(before)) {
    while (their.done !== true && their.value.number < number) their = await log.next()
    const theirs =
      their.done !== true && their.value.number === number ? their.value.entry : undefined
    yield { number, entry, theirs }
  }
}

/** The commits of the log behind an LSN. */
async function* entriesBehind(
  connection: Connection,
  lsn: number,
): AsyncGenerator<Pick<PastEntry, 'number' | 'entry'>> {
  for (let at = lsn; ; ) {
    const batches = await readBehind(connection, at)
    for (const { first, body } of batches)
      for (const [i, entry] of entriesIn(body).entries()) yield { number: first + i, entry }
    const last = batches.at(-1)
    if (last === undefined) return
    at = last.last
  }
}

/** @throws OperatorError a directory is a copy, and not a store of its own */
export async function requireNoCopy(place: Place): Promise<void> {
  if ((await readCopy(place)) === undefined) return
  throw new OperatorError(
    `${place.directory} is a copy of the log that several nodes share: set ZONEWRIGHT_STORE_URL, or another ZONEWRIGHT_DATA_DIR`,
  )
}

export async function writeCopy({ files, directory }: Place, copy: Copy): Promise<void> {
  const octets = Buffer.from(`${JSON.stringify(copy)}\n`)
  await replaceFile(files, copyPath(directory), octets)
  await files.syncDirectory(directory)
}

/** Finds the place in the log where a copy ends: its last commits equal the log's, or it was made there.
 *  @throws DivergedError the log has other commits there, or no longer any */
export async function locateCopy(
  connection: Connection,
  { copy, local, lastLsn }: { copy: Copy; local: Pick<LocalLog, 'read'>; lastLsn: number },
): Promise<Position> {
  if (lastLsn === copy.lsn && (await isAt(connection, copy)))
    return { lsn: lastLsn, link: Buffer.from(copy.link, 'hex') }
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

/** Whether the log has had this end, or continues from it.
 *  @param at the link is hexadecimal */
export async function isAt(
  connection: Connection,
  { lsn, link }: Pick<Copy, 'lsn' | 'link'>,
): Promise<boolean> {
  const own = Buffer.from(link, 'hex')
  const { end, batches } = await readEnd(connection, lsn)
  if (end.lsn === lsn) return end.link.equals(own)
  const [next] = batches
  return next?.first === lsn + 1 && linkBehind(own, entriesIn(next.body)).equals(next.link)
}
