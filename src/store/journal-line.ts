import { checksum } from '../durable/checksum.ts'
import type { CollectionName } from '../model/collections.ts'
import { joinRun, type PlacedRecordset, recordsetsOf } from '../model/recordset-run.ts'
import type { Commit } from './store.ts'
import type { Row } from './table.ts'

// One commit is one line of JSON. Its last member is the checksum of all octets in front of it, so a line can
// be checked without being parsed, and read by anything that reads JSON.

/** A commit as the journal has it: the rows after it, `null` for those it deleted. */
export type JournalEntry = {
  readonly lsn: number
  /** Microseconds since the Unix epoch. */
  readonly at: number
  /** The first LSN of the batch it was made durable with. A batch is only begun when the one before is
   *  durable, so a later batch proves that an earlier line was once whole. */
  readonly batch: number
  readonly changes: readonly JournalChange[]
  /** Record sets that are new and came packed, behind the changes: a run in base64. */
  readonly packed?: string
  /** What the program has noted beside the rows; lines of earlier versions have none. */
  readonly facts?: unknown
}

export type JournalChange = {
  readonly collection: CollectionName
  readonly id: string
  readonly row: Row | null
}

const sealPattern = /^,"crc":"([0-9a-f]{8})"\}$/
const sealOctets = ',"crc":"00000000"}'.length

/** Formats a commit as a line with its line feed. */
export function formatEntry({ lsn, atMicros, changes, facts }: Commit, batch: number): string {
  const rows: JournalChange[] = []
  const packed: PlacedRecordset[] = []
  for (const change of changes) {
    if (change.packed !== undefined) packed.push(change.packed)
    else rows.push({ collection: change.collection, id: change.id, row: change.after ?? null })
  }
  const run = packed.length === 0 ? undefined : textOfRun(packed)
  const entry = { lsn, at: atMicros, batch, changes: rows, packed: run, facts }
  const body = JSON.stringify(entry).slice(0, -1)
  return `${body},"crc":"${checksum(body)}"}\n`
}

/** The record sets that an entry has packed. */
export function packedOf({ packed }: JournalEntry): readonly PlacedRecordset[] {
  if (packed === undefined) return []
  const octets = Buffer.from(packed, 'base64')
  const run = new Uint32Array(octets.length / 4)
  Buffer.from(run.buffer).set(octets)
  return [...recordsetsOf(run)]
}

function textOfRun(packed: readonly PlacedRecordset[]): string {
  const { buffer, byteOffset, byteLength } = joinRun(packed)
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64')
}

/** Parses a line without its line feed; undefined where it is not whole. */
export function parseEntry(line: Buffer): JournalEntry | undefined {
  return isWholeLine(line) ? parseWholeLine(line) : undefined
}

/** Parses a line that is known to be whole. */
export function parseWholeLine(line: Buffer): JournalEntry {
  return JSON.parse(line.toString('utf8')) as JournalEntry
}

/** Whether a line without its line feed is as it was written. */
export function isWholeLine(line: Buffer): boolean {
  const bodyOctets = line.length - sealOctets
  if (bodyOctets <= 0) return false
  const [, crc] = sealPattern.exec(line.toString('latin1', bodyOctets)) ?? []
  return crc !== undefined && checksum(line.subarray(0, bodyOctets)) === crc
}

const lsnPattern = /^\{"lsn":(\d{1,16}),/

/** The LSN a line begins with, without a look at the rest of it; undefined where it begins otherwise. */
export function lsnOfLine(line: Buffer): number | undefined {
  const [, lsn] = lsnPattern.exec(line.toString('latin1', 0, 32)) ?? []
  return lsn === undefined ? undefined : Number(lsn)
}
