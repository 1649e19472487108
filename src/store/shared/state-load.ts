import { makeDurableDirectory } from '../../durable/directories.ts'
import type { Place } from '../../durable/file-system.ts'
import { Log } from '../../durable/log.ts'
import type { CollectionName } from '../../model/collections.ts'
import { TimeSlice } from '../../time-slice.ts'
import { logDirectory } from '../commit-log.ts'
import { documentNames, segmentPath, segmentsDirectory } from '../layout.ts'
import { LoadedRows } from '../loaded-rows.ts'
import { emptyManifest, writeManifest } from '../manifest.ts'
import { SegmentWriter } from '../segment.ts'
import { writeGeneration } from '../write-generation.ts'
import type { Connection } from './connection.ts'
import type { Copy } from './copy.ts'
import { entriesIn, readBehind } from './log-batch.ts'
import { packedIn, rowIn } from './row-changes.ts'

const rowsAtOnce = 5000

type RowOfTable = {
  readonly collection: CollectionName
  readonly id: string
  readonly row: Buffer
}

/** The log's end, and everything as of it. */
type State = Copy & { readonly atMicros: number }

/** Makes a copy of all rows in a directory that has none, with what the log has before them as history. Recordsets go from the
 *  table into a segment, a frame at a time: they are never all in memory.
 *  @returns what it is a copy of */
export async function loadState(connection: Connection, place: Place): Promise<Copy> {
  return connection.transaction(async () => {
    // It delays no other session, and writing to this node's disk may take long.
    await connection.query('set local idle_in_transaction_session_timeout = 0')
    const rows = new LoadedRows()
    const { state, segments } = await readInto(connection, place, rows)
    const tables = rows.index(({ collection, id, index }) => {
      throw new Error(`${collection} ${id} has the same ${index} as another row`)
    })
    const { lsn } = state
    const options = { ...place, tables, begunLsn: () => lsn }
    const recordsets = tables.recordsets.changed.take()
    const changes = { documents: new Set(documentNames), recordsets }
    const base = { ...emptyManifest, segments }
    const { octetCount: _, ...written } = await writeGeneration(options, base, changes)
    await copyLog(connection, place, lsn)
    const { atMicros, ...copy } = state
    const manifest = { ...emptyManifest, ...written, _lsn: lsn, previousLsn: lsn, heldLsn: lsn }
    await writeManifest(place, { ...manifest, atMicros })
    return copy
  }, 'begin isolation level repeatable read read only')
}

/** Reads recordsets into the segment of a first generation, and all other rows. */
async function readInto(connection: Connection, { files, directory }: Place, rows: LoadedRows) {
  const generation = emptyManifest.generation + 1
  await files.makeDirectory(segmentsDirectory(directory))
  const writer = await SegmentWriter.create(files, segmentPath(directory, generation))
  try {
    const state = await readRows(connection, ({ collection, row }) => {
      if (collection !== 'recordsets') rows.put(collection, rowIn(row) as never)
      else if (writer.add(packedIn(row))) return writer.flush()
      return undefined
    })
    await writer.finish()
    await files.syncDirectory(segmentsDirectory(directory))
    await files.syncDirectory(directory)
    const { octetCount: octets, rowCount } = writer
    return { state, segments: [{ generation, octets, rows: rowCount }] }
  } finally {
    await writer.close()
  }
}

/** Passes on all rows as of the log's end, in a transaction that has begun; each once the previous one has been processed. */
export async function readRows(
  connection: Connection,
  take: (row: RowOfTable) => unknown,
): Promise<State> {
  const heads = await connection.query<{
    cluster: string
    lsn: string
    link: Buffer
    at_micros: string
  }>('select cluster, lsn, link, at_micros from zw_head')
  const [head] = heads.rows
  if (head === undefined) throw new Error('the log has no head')
  await connection.query(
    'declare all_rows no scroll cursor for select collection, id, row from zw_row',
  )
  const slice = new TimeSlice()
  const fetch = () => {
    const text = `fetch ${rowsAtOnce} from all_rows`
    const fetched = connection.query<RowOfTable>({ name: 'fetch', text })
    // It may fail before it is awaited, while rows are processed.
    fetched.catch(() => undefined)
    return fetched
  }
  for (let next = fetch(); ; ) {
    const { rows } = await next
    if (rows.length === 0) break
    next = fetch()
    for (const row of rows) {
      const taken = take(row)
      if (taken instanceof Promise) await taken
      if (slice.isSpent) await slice.yield()
    }
  }
  return {
    cluster: head.cluster,
    lsn: Number(head.lsn),
    link: head.link.toString('hex'),
    atMicros: Number(head.at_micros),
  }
}

/** Writes what the log has up to an LSN; a log that goes on behind it where that is nothing. */
async function copyLog(connection: Connection, { files, directory }: Place, lsn: number) {
  const { rows } = await connection.query<{ first: string | null }>(
    'select min(first_lsn) as first from zw_log where last_lsn <= $1',
    [lsn],
  )
  const before = rows[0]?.first == null ? lsn : Number(rows[0].first) - 1
  const place = { files, directory: logDirectory(directory) }
  await makeDurableDirectory(files, place.directory)
  const found = { lastNumber: before, octetCount: 0, lastOctets: 0 }
  const log = new Log({
    ...place,
    segments: [],
    found: { ...found, lastMark: undefined, break: undefined },
    isSyncedLate: true,
  })
  await log.begin()
  while (log.lastNumber < lsn) {
    const batches = await readBehind(connection, log.lastNumber)
    if (batches.length === 0) throw new Error(`the log ends before ${lsn}`)
    for (const { body } of batches) await log.append(entriesIn(body).map(entry => [entry]))
  }
  await log.sync()
  await log.close()
}
