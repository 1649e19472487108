import { randomFillSync } from 'node:crypto'
import type { RrsetOctets } from '../dns/rrset-octets.ts'
import {
  isManagedPacked,
  type PackedRecordset,
  packedPlaces,
  putTimeBelowFlags,
} from './packed-recordset.ts'
import type { Recordset } from './recordset.ts'
import { type NewRecordset, RecordsetPacker } from './recordset-packer.ts'
import { uuidWords, writeUuid } from './uuid-words.ts'

// Many recordsets in one piece of memory that a thread can transfer: each packed and preceded by its number of
// words.

/** Packed recordsets, one after the other. */
export type RecordsetRun = Uint32Array<ArrayBuffer>

/** A recordset of a run. */
export type PlacedRecordset = PackedRecordset & { readonly wordCount: number }

/** Recordsets of a run that is committed by itself. Each commit waits for the disk, and other changes wait some milliseconds while
 *  one of so many is prepared. */
export const runRecordsets = 2000

const zoneWords = new Uint32Array(uuidWords)
/** Memory for the random words of the ids of one run after the other. */
let stampWords = new Uint32Array(0)
/** Words that most recordsets do not exceed. */
const usualWords = 32

/** Writes recordsets into a run. */
export class RunWriter {
  readonly #packer = new RecordsetPacker()
  #run = new Uint32Array(0)
  #end = 0
  count = 0

  add(recordset: Recordset): void {
    this.#packer.pack(recordset)
    this.#append()
  }

  /** Adds a new recordset, to which `stampRun` gives an id, a time and a zone. */
  addRrset(rrset: RrsetOctets, own: NewRecordset): void {
    this.#packer.packNew(rrset, own)
    this.#append()
  }

  /** Adds a packed recordset from any memory. */
  addPacked({ words, at, wordCount }: PlacedRecordset): void {
    this.#appendWords(words, at, wordCount)
  }

  /** Adds a recordset, which may already be packed; if undefined, an entry of no words. */
  addOne(recordset: Recordset | undefined, packed?: PlacedRecordset): void {
    if (packed !== undefined) this.addPacked(packed)
    else if (recordset !== undefined) this.add(recordset)
    else this.#appendWords(this.#run, 0, 0)
  }

  /** Of the recordsets added so far, with their numbers of words. */
  get wordCount(): number {
    return this.#end
  }

  /** The recordsets added so far; valid until the next call. */
  get octets(): Buffer {
    return Buffer.from(this.#run.buffer, this.#run.byteOffset, 4 * this.#end)
  }

  /** Begins a new run in the same memory. */
  clear(): void {
    this.#end = 0
    this.count = 0
  }

  /** Returns the run and begins a new one. */
  take(): RecordsetRun {
    // Without the spare room, since a thread transfers the whole memory of a run.
    const run = this.#run.slice(0, this.#end)
    this.#end = 0
    this.count = 0
    return run
  }

  #append(): void {
    const { words, wordCount } = this.#packer
    this.#appendWords(words, 0, wordCount)
  }

  #appendWords(words: Uint32Array, at: number, wordCount: number): void {
    const end = this.#end + 1 + wordCount
    if (end > this.#run.length) this.#enlarge(end)
    const run = this.#run
    run[this.#end] = wordCount
    for (let i = 0; i < wordCount; i += 1) run[this.#end + 1 + i] = words[at + i] as number
    this.#end = end
    this.count += 1
  }

  #enlarge(wordCount: number): void {
    const larger = new Uint32Array(Math.max(2 * wordCount, 64 * usualWords))
    larger.set(this.#run.subarray(0, this.#end))
    this.#run = larger
  }
}

export function packRun(recordsets: readonly Recordset[]): RecordsetRun {
  const writer = new RunWriter()
  for (const recordset of recordsets) writer.add(recordset)
  return writer.take()
}

/** Joins packed recordsets from any memory into a run. */
export function joinRun(recordsets: readonly PlacedRecordset[]): RecordsetRun {
  const writer = new RunWriter()
  for (const recordset of recordsets) writer.addPacked(recordset)
  return writer.take()
}

/** The recordsets of a run, which must not be changed afterwards. */
export function* recordsetsOf(run: RecordsetRun): Generator<PlacedRecordset> {
  const octets = Buffer.from(run.buffer, run.byteOffset, run.byteLength)
  for (let at = 0; at < run.length; ) {
    const wordCount = run[at] as number
    yield { words: run, octets, at: at + 1, wordCount }
    at += 1 + wordCount
  }
}

/** A row of a run; undefined for one of no words, which stands for none. */
export function rowOrNone(row: PlacedRecordset | undefined): PlacedRecordset | undefined {
  return row?.wordCount === 0 ? undefined : row
}

/** The recordset of a run whose number of words is at `at`. */
export function recordsetAt(run: RecordsetRun, at: number): PlacedRecordset {
  const octets = Buffer.from(run.buffer, run.byteOffset, run.byteLength)
  return { words: run, octets, at: at + 1, wordCount: run[at] as number }
}

/** Sections of a run in which the server manages all recordsets, or none. */
export function* stretchesOf(
  run: RecordsetRun,
): Generator<{ readonly first: PlacedRecordset; readonly count: number }> {
  for (let at = 0; at < run.length; ) {
    const first = recordsetAt(run, at)
    const record = { ...first }
    const isManaged = isManagedPacked(first)
    let count = 0
    do {
      count += 1
      at += 1 + (run[at] as number)
      record.at = at + 1
    } while (at < run.length && isManaged !== undefined && isManagedPacked(record) === isManaged)
    yield { first, count }
  }
}

/** The number of recordsets in a run. */
export function countOf(run: RecordsetRun): number {
  let count = 0
  for (let at = 0; at < run.length; at += 1 + (run[at] as number)) count += 1
  return count
}

/** Gives the recordsets of a run, none of which is kept as JSON, new ids, a zone and a creation time in microseconds. The
 *  ids are random and ascending, so that the recordsets are listed in their order in the run, and each is appended to
 *  the end of its lists.
 *  @throws RangeError the zone's id is no UUID */
export function stampRun(
  run: RecordsetRun,
  { zoneId, createdAt }: Pick<Recordset, 'zoneId' | 'createdAt'>,
): void {
  if (!writeUuid(zoneWords, 0, zoneId)) throw new RangeError(`${zoneId} is no UUID`)
  const count = countOf(run)
  if (stampWords.length < 4 * count) stampWords = new Uint32Array(4 * count)
  const random = randomFillSync(stampWords.subarray(0, 4 * count))
  const firstWords = random.subarray(0, count).sort()
  // Some are equal. Each plus its number is larger than the one before, and none exceeds 32 bits.
  const share = 1 - count / 2 ** 32
  let number = 0
  for (let at = 0; at < run.length; at += 1 + (run[at] as number)) {
    putTimeBelowFlags(run, at + 1, createdAt)
    const id = at + 1 + packedPlaces.id
    const rest = count + 3 * number
    // A UUID of version 4 (RFC 9562 section 5.4).
    run[id] = Math.floor(share * (firstWords[number] as number)) + number
    run[id + 1] = ((random[rest] as number) & 0xffff_0fff) | 0x4000
    run[id + 2] = ((random[rest + 1] as number) & 0x3fff_ffff) | 0x8000_0000
    run[id + 3] = random[rest + 2] as number
    run.set(zoneWords, at + 1 + packedPlaces.zoneId)
    number += 1
  }
}
