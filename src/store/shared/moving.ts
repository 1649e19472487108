import { createHash, randomUUID } from 'node:crypto'
import { type Place, realFiles } from '../../durable/file-system.ts'
import { ratingTermId } from '../../model/rating.ts'
import { OperatorError } from '../../operator-error.ts'
import { TimeSlice } from '../../time-slice.ts'
import { commitLogOver, type LocalLog } from '../commit-log.ts'
import { type LowdbStoreOptions, openLowdbStore } from '../lowdb-store.ts'
import { holdsData } from '../recovery.ts'
import { requireStore } from '../repair.ts'
import type { Store } from '../store.ts'
import { collectionNames } from '../tables.ts'
import type { Connection } from './connection.ts'
import { readCopy, requireNoCopy } from './copy.ts'
import { Engine, type EngineOptions } from './engine.ts'
import { filesBelow } from './files.ts'
import { bodyOf, linkBehind } from './log-batch.ts'
import { octetsOfRow, type RowChange, writeRows } from './row-changes.ts'
import { ensureSchema, locks } from './schema.ts'
import { loadState, readRows } from './state-load.ts'

// A store of one process becomes that of several nodes, and the other way round. LSNs continue, so followers of events see no break.

/** What was taken along. */
export type Moved = {
  readonly lsn: number
  readonly rowCount: number
  /** Commits of the log, which are the history. */
  readonly commitCount: number
  readonly fileCount: number
}

/** Folders below a data directory that are in the table `zw_file` once several nodes share a store. */
type Folders = readonly string[]

const rowsAtOnce = 5000
const partOctets = 2 ** 20

/** Copies the store of a directory into a PostgreSQL that has none, in one transaction: an interruption leaves nothing behind.
 *  All rows are read back and compared before it ends. The directory remains an independent store.
 *  @throws OperatorError there are changes in PostgreSQL, or the directory is a copy of a log that nodes share
 *  @throws DamageError, StoreLockedError as for any store
 *  @throws EngineUnavailableError, EngineUnfitError, OtherSchemaError */
export async function publishStore(
  engineOptions: EngineOptions,
  options: LowdbStoreOptions,
  folders: Folders,
): Promise<Moved> {
  const place = { files: realFiles, directory: options.directory }
  await requireNoCopy(place)
  await requireStore(place)
  let local: LocalLog | undefined
  const store = await openLowdbStore({
    ...options,
    shareLog: journal => {
      local = journal
      return commitLogOver(journal)
    },
  })
  const engine = new Engine(engineOptions)
  try {
    return await engine.use(async connection => {
      await ensureSchema(connection)
      return connection.transaction(async () => {
        await requireEmpty(connection)
        const rows = await publishRows(connection, store)
        const log = await publishLog(connection, local, store.lastLsn)
        const fileCount = await publishFiles(connection, place, folders)
        await connection.query('update zw_head set lsn = $1, link = $2, at_micros = $3', [
          store.lastLsn,
          log.link,
          store.stage().atMicros,
        ])
        // A term of rating begins only behind those that are recorded in the rows.
        const { value: epoch = 0 } = store.get('secrets', ratingTermId) ?? {}
        await connection.query('update zw_duty set epoch = $1', [Number(epoch)])
        await requireSame(connection, rows)
        return { lsn: store.lastLsn, rowCount: rows.count, commitCount: log.count, fileCount }
      })
    })
  } finally {
    await engine.close()
    await store.close()
  }
}

/** Makes an independent store, in a directory that has none, from the store that several nodes share. No node should run meanwhile.
 *  @throws OperatorError there are data in the directory
 *  @throws EngineUnavailableError, EngineUnfitError, OtherSchemaError */
export async function fetchStore(
  engineOptions: EngineOptions,
  directory: string,
  folders: Folders,
): Promise<Pick<Moved, 'lsn' | 'fileCount'>> {
  const place = { files: realFiles, directory }
  const isUsed = (await readCopy(place)) !== undefined || (await holdsData(place))
  const kept = await Promise.all(
    folders.map(folder => filesBelow(place.files, `${directory}/${folder}`)),
  )
  if (isUsed || kept.flat().length > 0)
    throw new OperatorError(`${directory} has data: what is fetched needs an empty directory`)
  // What is only read cannot be lost in a failover.
  const engine = new Engine({ ...engineOptions, acceptsLoss: true })
  try {
    return await engine.use(async connection => {
      await ensureSchema(connection)
      const fileCount = await fetchFiles(connection, place)
      const { lsn } = await loadState(connection, place)
      return { lsn, fileCount }
    })
  } finally {
    await engine.close()
  }
}

async function requireEmpty(connection: Connection): Promise<void> {
  await connection.query('select pg_advisory_xact_lock($1)', [locks.turn])
  const { rows } = await connection.query<{ lsn: string; files: string }>(
    'select lsn, (select count(*) from zw_file) as files from zw_head',
  )
  const { lsn = '0', files = '0' } = rows[0] ?? {}
  if (lsn !== '0' || files !== '0')
    throw new OperatorError(
      `PostgreSQL holds a store already, of ${lsn} changes: another database takes this one`,
    )
}

/** A digest of rows that does not depend on their order. */
class RowDigest {
  count = 0
  readonly #sum = Buffer.alloc(32)

  add(collection: string, id: string, octets: Buffer): void {
    const hash = createHash('sha256').update(`${collection}\n${id}\n`).update(octets).digest()
    for (const [i, octet] of hash.entries()) this.#sum[i] = (this.#sum[i] as number) ^ octet
    this.count += 1
  }

  equals(other: RowDigest): boolean {
    return this.count === other.count && this.#sum.equals(other.#sum)
  }
}

async function publishRows(connection: Connection, store: Store): Promise<RowDigest> {
  const digest = new RowDigest()
  const slice = new TimeSlice()
  let rows: RowChange[] = []
  const write = async () => {
    await Promise.all(writeRows(connection, store.lastLsn, rows))
    rows = []
  }
  for (const collection of collectionNames)
    for (const row of store.rows(collection)) {
      const octets = octetsOfRow(collection, row)
      digest.add(collection, row.id, octets)
      rows.push({ collection, id: row.id, octets })
      if (rows.length === rowsAtOnce) await write()
      if (slice.isSpent) await slice.yield()
    }
  await write()
  return digest
}

/** The commits that lead up to an LSN without a gap. */
async function publishLog(connection: Connection, local: LocalLog | undefined, lastLsn: number) {
  let link: Buffer = createHash('sha256').update(randomUUID()).digest()
  let first = 1
  let count = 0
  let entries: Buffer[] = []
  let octets = 0
  const write = async () => {
    if (entries.length === 0) return
    link = linkBehind(link, entries)
    const last = first + entries.length - 1
    const values = [first, last, link, randomUUID(), '', bodyOf(entries)]
    await connection.query(
      'insert into zw_log (first_lsn, last_lsn, link, batch, node, body) values ($1, $2, $3, $4, $5, $6)',
      values,
    )
    first = last + 1
    entries = []
    octets = 0
  }
  const begin = async (number: number) => {
    await connection.query('delete from zw_log')
    first = number
    entries = []
    count = 0
  }
  for await (const { number, entry } of local?.read(0) ?? []) {
    if (number !== first + entries.length) await begin(number)
    entries.push(entry)
    octets += entry.length
    count += 1
    if (octets >= partOctets) await write()
  }
  await write()
  if (first !== lastLsn + 1) await begin(lastLsn + 1)
  return { link, count }
}

async function publishFiles(
  connection: Connection,
  { files, directory }: Place,
  folders: Folders,
): Promise<number> {
  let count = 0
  for (const folder of folders)
    for (const path of await filesBelow(files, `${directory}/${folder}`)) {
      const size = await files.size(path)
      const name = path.slice(directory.length + 1)
      for (let part = 0; part * partOctets < Math.max(size, 1); part += 1) {
        const at = part * partOctets
        const body = await files.readPiece(path, at, Math.min(partOctets, size - at))
        const values = [name, part, body]
        await connection.query('insert into zw_file (path, part, body) values ($1, $2, $3)', values)
      }
      count += 1
    }
  return count
}

async function fetchFiles(connection: Connection, { files, directory }: Place): Promise<number> {
  const { rows: parts } = await connection.query<{ path: string; part: number }>(
    'select path, part from zw_file order by path, part',
  )
  for (const { path: name, part } of parts) {
    const path = `${directory}/${name}`
    await files.makeDirectory(path.slice(0, path.lastIndexOf('/')))
    const file = part === 0 ? await files.create(path) : await files.open(path)
    try {
      const { rows } = await connection.query<{ body: Buffer }>(
        'select body from zw_file where path = $1 and part = $2',
        [name, part],
      )
      if (rows[0] !== undefined) await file.append(rows[0].body)
      await file.sync()
    } finally {
      await file.close()
    }
  }
  return new Set(parts.map(({ path }) => path)).size
}

/** @throws Error what PostgreSQL gives back is not what was written */
async function requireSame(connection: Connection, written: RowDigest): Promise<void> {
  const found = new RowDigest()
  await readRows(connection, ({ collection, id, row }) => found.add(collection, id, row))
  if (!found.equals(written))
    throw new Error(`PostgreSQL has ${found.count} rows other than the ${written.count} written`)
}
