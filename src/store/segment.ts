import { crc32 } from 'node:zlib'
import { checksumText } from '../durable/checksum.ts'
import type { AppendFile, FileSystem, ReadableFile } from '../durable/file-system.ts'
import { frameHeaderLength, frameLengthAt, framePayload, sealFrame } from '../durable/frame.ts'
import { recordsetUnpacker } from '../model/packed-recordset.ts'
import { type PlacedRecordset, recordsetsOf } from '../model/recordset-run.ts'
import { readUuid, uuidWords, writeUuid } from '../model/uuid-words.ts'
import type { DeletedIds } from './changed-recordsets.ts'

// A segment is a file of record sets that is written once, from beginning to end, and never changed. It consists of frames; the
// payload of each begins with a word that identifies its content:
//
//   rows      record sets as they are kept in memory, a run (`model/recordset-run.ts`)
//   deleted   ids of record sets that earlier segments may have, four words each
//   texts     the same, of ids that are no UUIDs: JSON
//   zones     last: the zones of all rows, four words each and how many rows of it follow each other, to say what damage has cost
//
// Later entries take precedence, within a segment and among segments.

const kinds = { rows: 1, deleted: 2, texts: 3, zones: 4 } as const

/** Words of a usual frame: small enough that writing one does not delay other work. */
const frameWords = 1 << 16
/** Room before the payload for the header of its frame. */
const headerWords = frameHeaderLength / 4
/** Words of a zone and a count; of a usual frame of them. */
const zoneWords = uuidWords + 1
const zoneFrameWords = zoneWords << 13
/** Octets per read. */
const pieceOctets = 1 << 22

/** Writes a segment, a frame at a time. */
export class SegmentWriter {
  readonly #file: AppendFile
  /** The frame of rows that is being filled. */
  #words = new Uint32Array(headerWords + frameWords)
  #end = headerWords + 1
  /** The zones of the rows so far, each with the count of rows that follow each other: most rows of a zone come together. */
  #zones = new Uint32Array(64 * zoneWords)
  #zonesEnd = 0
  #lastZoneId = ''
  rowCount = 0
  octetCount = 0
  #crc = 0

  private constructor(file: AppendFile) {
    this.#file = file
  }

  static async create(files: FileSystem, path: string): Promise<SegmentWriter> {
    return new SegmentWriter(await files.create(path))
  }

  /** Returns whether the frame is full, so that `flush` has to be called before the next row. */
  add(record: PlacedRecordset): boolean {
    const { words, at, wordCount } = record
    const end = this.#end + 1 + wordCount
    if (end > this.#words.length) {
      const larger = new Uint32Array(end)
      larger.set(this.#words.subarray(0, this.#end))
      this.#words = larger
    }
    this.#words[this.#end] = wordCount
    for (let i = 0; i < wordCount; i += 1) this.#words[this.#end + 1 + i] = words[at + i] as number
    this.#end = end
    this.rowCount += 1
    const zoneId = recordsetUnpacker.zoneIdOf(record)
    if (zoneId !== this.#lastZoneId) this.#addZone(zoneId)
    this.#zones[this.#zonesEnd - 1] = (this.#zones[this.#zonesEnd - 1] as number) + 1
    return end >= (frameWords * 3) / 4
  }

  async flush(): Promise<void> {
    if (this.#end === headerWords + 1) return
    this.#words[headerWords] = kinds.rows
    await this.#append(this.#words.subarray(0, this.#end))
    this.#end = headerWords + 1
  }

  async addDeleted({ words, texts }: DeletedIds): Promise<void> {
    for (let at = 0; at < words.length; at += frameWords) {
      const ids = words.subarray(at, at + frameWords)
      await this.#append(joined(kinds.deleted, ids))
    }
    if (texts.length > 0)
      await this.#append(joined(kinds.texts, wordsOfText(JSON.stringify(texts))))
  }

  /** Resolves when all of it is on the disk; its name is durable once the directory is synced. */
  async finish(): Promise<void> {
    await this.flush()
    const zones = this.#zones.subarray(0, this.#zonesEnd)
    for (let at = 0; at < zones.length; at += zoneFrameWords)
      await this.#append(joined(kinds.zones, zones.subarray(at, at + zoneFrameWords)))
    await this.#file.sync()
  }

  close(): Promise<void> {
    return this.#file.close()
  }

  #addZone(zoneId: string): void {
    if (this.#zonesEnd === this.#zones.length) {
      const larger = new Uint32Array(2 * this.#zonesEnd)
      larger.set(this.#zones)
      this.#zones = larger
    }
    // A zone id that is not a UUID is counted as no zone.
    writeUuid(this.#zones, this.#zonesEnd, zoneId)
    this.#zonesEnd += zoneWords
    this.#lastZoneId = zoneId
  }

  /** Of what was written so far: as the last frame that is read of it has it. */
  get checksum(): string {
    return checksumText(this.#crc)
  }

  /** @param words a payload, preceded by room for the header of its frame */
  async #append({ buffer, byteOffset, byteLength }: Uint32Array): Promise<void> {
    const frame = sealFrame(Buffer.from(buffer, byteOffset, byteLength))
    this.#crc = crc32(frame.subarray(0, frameHeaderLength), this.#crc)
    await this.#file.append(frame)
    this.octetCount += byteLength
  }
}

/** A payload, with room in front of it. */
function joined(kind: number, words: Uint32Array): Uint32Array {
  const payload = new Uint32Array(headerWords + 1 + words.length)
  payload[headerWords] = kind
  payload.set(words, headerWords + 1)
  return payload
}

/** UTF-8, filled up with spaces. */
function wordsOfText(text: string): Uint32Array {
  const octets = Buffer.from(text)
  const words = new Uint32Array(Math.ceil(octets.length / 4))
  const target = Buffer.from(words.buffer).fill(' ')
  octets.copy(target)
  return words
}

/** What a frame holds. */
export type SegmentFrame =
  | { readonly kind: 'rows'; readonly rows: Iterable<PlacedRecordset> }
  | { readonly kind: 'deleted'; readonly ids: Iterable<string> }
  | { readonly kind: 'zones'; readonly counts: Iterable<readonly [zoneId: string, count: number]> }
  /** Not as it was written. If nothing sound follows, `octets` reaches to the end. */
  | { readonly kind: 'damaged'; readonly at: number; readonly octets: number }
  /** Behind the last: the checksum of the headers of all sound frames. */
  | { readonly kind: 'end'; readonly checksum: string }

/** Whether a frame shows that all of its segment, sound as it may be, is not what a manifest has the checksum of. */
export function isOfAnother(frame: SegmentFrame, checksum: string | undefined): boolean {
  return frame.kind === 'end' && checksum !== undefined && frame.checksum !== checksum
}

/** Reads a segment, or the sound parts of a damaged one. The content of a frame is valid until the next is requested. */
export async function* readSegment(files: FileSystem, path: string): AsyncGenerator<SegmentFrame> {
  const file = await files.openToRead(path)
  try {
    yield* framesOf(file, await file.size())
  } finally {
    await file.close()
  }
}

/** How many record sets of each zone are in the unreadable parts of a segment; none of those zones whose counts, at its end, are in
 *  these too. */
export async function lostRecordsets(
  files: FileSystem,
  path: string,
): Promise<ReadonlyMap<string, number>> {
  const left = new Map<string, number>()
  const count = (zoneId: string, change: number): void => {
    left.set(zoneId, (left.get(zoneId) ?? 0) + change)
  }
  for await (const frame of readSegment(files, path)) {
    if (frame.kind === 'rows') {
      for (const record of frame.rows) count(recordsetUnpacker.zoneIdOf(record), -1)
    } else if (frame.kind === 'zones') {
      for (const [zoneId, rows] of frame.counts) count(zoneId, rows)
    }
  }
  return new Map([...left].filter(([, rows]) => rows > 0))
}

async function* framesOf(file: ReadableFile, size: number): AsyncGenerator<SegmentFrame> {
  let damagedAt: number | undefined
  let crc = 0
  let lengthOctets = pieceOctets
  for (let at = 0; at < size; ) {
    const piece = await readAligned(file, at, Math.min(lengthOctets, size - at))
    lengthOctets = pieceOctets
    let offset = 0
    for (;;) {
      const payload = framePayload(piece, offset)
      if (payload === undefined) break
      if (damagedAt !== undefined) {
        yield { kind: 'damaged', at: damagedAt, octets: at + offset - damagedAt }
        damagedAt = undefined
      }
      crc = crc32(piece.subarray(offset, offset + frameHeaderLength), crc)
      yield frameIn(payload)
      offset += frameHeaderLength + payload.length
    }
    if (offset === 0) {
      const needed = frameLengthAt(piece, 0) ?? 0
      if (needed > piece.length && at + needed <= size) {
        lengthOctets = needed + frameHeaderLength
        continue
      }
      damagedAt ??= at
      offset = behindUnsound(piece, size - at)
    }
    at += offset
  }
  if (damagedAt !== undefined) {
    yield { kind: 'damaged', at: damagedAt, octets: size - damagedAt }
  }
  yield { kind: 'end', checksum: checksumText(crc) }
}

/** How far behind the beginning of an unsound frame reading continues. The piece begins with that frame, `left` octets before the
 *  end of the file. What record sets contain may look like frames, so none is trusted because of its own form: a frame begins
 *  where the one before it ends. */
function behindUnsound(piece: Buffer, left: number): number {
  const stated = frameLengthAt(piece, 0)
  const isStated = stated === left || frameLengthAt(piece, stated ?? left) !== undefined
  if (stated !== undefined && isStated) return stated
  // Its header is damaged. No frame is as long as a piece, so one that begins in the piece ends behind it; if others only seem to,
  // it is not known which.
  const last = left > pieceOctets ? pieceOctets - frameHeaderLength : left
  const ends = new Set<number>()
  for (let at = 4; at < last; at += 4) {
    const end = at + (frameLengthAt(piece, at) ?? 0)
    if (end >= last && end <= left) ends.add(end)
  }
  const [end = last, other] = ends
  return other === undefined ? end : left
}

/** Buffers from Node's pool may start at any offset. */
async function readAligned(file: ReadableFile, at: number, octets: number): Promise<Buffer> {
  const piece = await file.read(at, octets)
  return piece.byteOffset % 4 === 0 ? piece : Buffer.from(new Uint8Array(piece).buffer)
}

function frameIn(payload: Buffer): SegmentFrame {
  const { buffer, byteOffset, length } = payload
  const words = new Uint32Array(buffer as ArrayBuffer, byteOffset, length >>> 2)
  const rest = words.subarray(1)
  switch (words[0]) {
    case kinds.rows:
      return { kind: 'rows', rows: recordsetsOf(rest) }
    case kinds.deleted:
      return { kind: 'deleted', ids: uuidsOf(rest) }
    case kinds.texts:
      return { kind: 'deleted', ids: JSON.parse(payload.toString('utf8', 4)) as string[] }
    case kinds.zones:
      return { kind: 'zones', counts: countsOf(rest) }
    default:
      throw new Error(`it has a frame of kind ${words[0]}`)
  }
}

function* uuidsOf(words: Uint32Array): Generator<string> {
  for (let at = 0; at < words.length; at += uuidWords) yield readUuid(words, at)
}

function* countsOf(words: Uint32Array): Generator<readonly [string, number]> {
  for (let at = 0; at < words.length; at += zoneWords) {
    yield [readUuid(words, at), words[at + uuidWords] as number]
  }
}
