import { isDeepStrictEqual } from 'node:util'
import type { Place } from '../durable/file-system.ts'
import { recordsetUnpacker } from '../model/packed-recordset.ts'
import type { PlacedRecordset } from '../model/recordset-run.ts'
import { TimeSlice } from '../time-slice.ts'
import { readDocument } from './document.ts'
import { collectionOf, documentPath, segmentPath } from './layout.ts'
import type { RowsDocument } from './load-generation.ts'
import type { DocumentFile, Manifest, SegmentFile } from './manifest.ts'
import { readSegment } from './segment.ts'
import { collectionNames, type Tables } from './tables.ts'

/** Where a generation was written, and the rows that it was written from. */
type WrittenPlace = Place & { readonly tables: Tables }

/** Reads back a generation just written from rows that do not change meanwhile, and compares it with them.
 *  @throws Error it is not what it should be */
export async function verifyGeneration(
  place: WrittenPlace,
  { documents, segments }: Pick<Manifest, 'documents' | 'segments'>,
): Promise<void> {
  const { directory, tables } = place
  let count = 0
  for (const document of documents) count += await verifyDocument(place, document)
  for (const segment of segments) count += await verifySegment(place, segment)
  const expected = collectionNames.reduce((sum, name) => sum + tables.table(name).size, 0)
  if (count !== expected)
    throw new Error(`${count} rows were written instead of ${expected} in ${directory}`)
}

/** Returns how many rows it has. */
async function verifyDocument(
  { files, directory, tables }: WrittenPlace,
  { name, generation }: DocumentFile,
): Promise<number> {
  const slice = new TimeSlice()
  const path = documentPath(directory, name, generation)
  const rows = (await readDocument<RowsDocument>(files, path))?.rows ?? []
  for (const row of rows) {
    requireSame(isDeepStrictEqual(row, tables.get(collectionOf(name), row.id)), path)
    if (slice.isSpent) await slice.yield()
  }
  return rows.length
}

/** Returns how many record sets it has. */
async function verifySegment(
  { files, directory, tables }: WrittenPlace,
  { generation }: SegmentFile,
): Promise<number> {
  const slice = new TimeSlice()
  const path = segmentPath(directory, generation)
  let count = 0
  for await (const frame of readSegment(files, path)) {
    requireSame(frame.kind !== 'damaged', path)
    if (frame.kind !== 'rows') continue
    for (const record of frame.rows) {
      const number = tables.table('recordsets').numberOf(recordsetUnpacker.idOf(record))
      requireSame(isSame(record, tables.recordsets.placed(number ?? 0)), path)
      count += 1
    }
    if (slice.isSpent) await slice.yield()
  }
  return count
}

function requireSame(isSame: boolean, path: string): void {
  if (!isSame) throw new Error(`${path} does not hold what was written to it`)
}

function isSame(left: PlacedRecordset, right: PlacedRecordset | undefined): boolean {
  return right !== undefined && octetsOf(left).equals(octetsOf(right))
}

function octetsOf({ octets, at, wordCount }: PlacedRecordset): Buffer {
  return octets.subarray(4 * at, 4 * (at + wordCount))
}
