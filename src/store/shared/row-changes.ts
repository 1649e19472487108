import { isDeepStrictEqual } from 'node:util'
import type { CollectionName } from '../../model/collections.ts'
import { recordsetUnpacker } from '../../model/packed-recordset.ts'
import type { Recordset } from '../../model/recordset.ts'
import { RecordsetPacker } from '../../model/recordset-packer.ts'
import type { PlacedRecordset } from '../../model/recordset-run.ts'
import { recordsetsOf } from '../../model/recordset-run.ts'
import type { Commit } from '../store.ts'
import type { Row } from '../table.ts'
import type { Connection } from './connection.ts'

// The table of all rows: recordsets packed, the others as JSON.

/** The final state of a row that a batch changes. */
export type RowChange = {
  readonly collection: CollectionName
  readonly id: string
  /** Undefined if the row is deleted. */
  readonly octets: Buffer | undefined
}

const packer = new RecordsetPacker()
/** Rows of one statement. */
const rowsAtOnce = 10_000

const put = `insert into zw_row (collection, id, lsn, row)
  select collection, id, $1, row from unnest($2::text[], $3::text[], $4::bytea[]) as given (collection, id, row)
  on conflict (collection, id) do update set lsn = excluded.lsn, row = excluded.row`
const remove = `delete from zw_row using unnest($1::text[], $2::text[]) as given (collection, id)
  where zw_row.collection = given.collection and zw_row.id = given.id`

/** The last state of each row that some commits change. */
export function rowChangesOf(commits: readonly Commit[]): readonly RowChange[] {
  const last = new Map<string, RowChange>()
  for (const { rowChanges, added } of commits) {
    for (const { collection, id, after } of rowChanges) {
      const octets = after === undefined ? undefined : octetsOfRow(collection, after)
      last.set(`${collection}/${id}`, { collection, id, octets })
    }
    for (const run of added)
      for (const record of recordsetsOf(run)) {
        const id = recordsetUnpacker.idOf(record)
        const octets = octetsOfPacked(record)
        last.set(`recordsets/${id}`, { collection: 'recordsets', id, octets })
      }
  }
  return [...last.values()]
}

/** Issues the statements that make the changes; all are sent when it returns. */
export function writeRows(
  connection: Connection,
  lsn: number,
  changes: readonly RowChange[],
): Promise<unknown>[] {
  const kept = changes.filter(({ octets }) => octets !== undefined)
  const gone = changes.filter(({ octets }) => octets === undefined)
  return [
    ...piecesOf(gone).map(piece =>
      connection.query({ name: 'remove', text: remove }, [namesOf(piece), idsOf(piece)]),
    ),
    ...piecesOf(kept).map(piece => {
      const rows = piece.map(({ octets }) => octets)
      return connection.query({ name: 'put', text: put }, [lsn, namesOf(piece), idsOf(piece), rows])
    }),
  ]
}

/** A recordset of the table, and any other row of it. */
export function packedIn(octets: Buffer): PlacedRecordset {
  const words = new Uint32Array(octets.length / 4)
  const own = Buffer.from(words.buffer)
  own.set(octets)
  return { words, octets: own, at: 0, wordCount: words.length }
}

export function rowIn(octets: Buffer): Row {
  return JSON.parse(octets.toString()) as Row
}

/** A row as the table has it. */
export function octetsOfRow(collection: CollectionName, row: Row): Buffer {
  if (collection !== 'recordsets') return Buffer.from(JSON.stringify(row))
  packer.pack(row as Recordset)
  return Buffer.from(Buffer.from(packer.words.buffer, 0, 4 * packer.wordCount))
}

/** Whether two rows as the table has them are the same. */
export function isSameRow(collection: CollectionName, one: Buffer, other: Buffer): boolean {
  if (one.equals(other)) return true
  return collection !== 'recordsets' && isDeepStrictEqual(rowIn(one), rowIn(other))
}

function octetsOfPacked({ words, at, wordCount }: PlacedRecordset): Buffer {
  return Buffer.from(words.buffer, words.byteOffset + 4 * at, 4 * wordCount)
}

function piecesOf(changes: readonly RowChange[]): readonly (readonly RowChange[])[] {
  const pieces: (readonly RowChange[])[] = []
  for (let at = 0; at < changes.length; at += rowsAtOnce)
    pieces.push(changes.slice(at, at + rowsAtOnce))
  return pieces
}

function namesOf(changes: readonly RowChange[]): readonly string[] {
  return changes.map(({ collection }) => collection)
}

function idsOf(changes: readonly RowChange[]): readonly string[] {
  return changes.map(({ id }) => id)
}
