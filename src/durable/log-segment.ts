import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { atOnce, type Steps } from '../time-slice.ts'
import { readOf } from './damage.ts'
import type { FileSystem } from './file-system.ts'
import { frameHeaderLength, frameOf, framePayload, nextFrameAt, sealSteps } from './frame.ts'

// A log is a directory of segments. Its entries are numbered, 1, 2, 3 … without gaps, and a segment is named after its
// first. It begins with a header, which is durable before anything follows it, and then has a frame for each append:
//
//   header: frame of: version u32 | mark
//   batch:  frame with that mark of: number of the first entry u48 | each: octets u32 | entry
//
// An append is present completely or not at all. It begins when the previous one is durable, so an unsound frame is a torn end if
// nothing sound follows it, and damage otherwise. Behind the last frame may be zeros: room for later appends.

/** A segment's file. */
export type Segment = {
  /** Number of its first entry, or of the next one if it has none. */
  readonly first: number
  readonly path: string
  /** For a file of an earlier form, which is only read: the octets of the equivalent segment. */
  readonly octets?: () => Promise<Buffer>
}

/** Where a batch is. */
export type LogPlace = {
  /** Number of the first entry of its segment. */
  readonly segment: number
  /** Octets in front of its frame. */
  readonly at: number
}

/** Entries appended together. */
export type LogBatch = { readonly first: number; readonly entries: readonly Buffer[] }

/** An entry to be written, perhaps in pieces, which are joined when it is written. */
export type NewEntry = Buffer | readonly Buffer[]
type NewBatch = { readonly first: number; readonly entries: readonly NewEntry[] }

const version = 1
const segmentName = /^(\d{16})\.log$/
const numberOctets = 6
const lengthOctets = 4
/** Octets in front of a batch's first entry. */
export const batchHeaderLength = frameHeaderLength + numberOctets
/** Octets of a segment's header. */
export const segmentHeaderLength = frameHeaderLength + 8

export function segmentAt(directory: string, first: number): Segment {
  return { first, path: join(directory, `${String(first).padStart(16, '0')}.log`) }
}

/** The segments of a log, oldest first. */
export async function listSegments(files: FileSystem, directory: string): Promise<Segment[]> {
  const names = await files.list(directory)
  return names.flatMap(name => {
    const match = segmentName.exec(name)
    return match === null ? [] : [segmentAt(directory, Number(match[1]))]
  })
}

/** The octets of a segment; none if it does not exist. @throws DamageError it cannot be read */
export async function octetsOf(files: FileSystem, { path, octets }: Segment): Promise<Buffer> {
  return (await readOf(path, octets?.() ?? files.read(path))) ?? Buffer.alloc(0)
}

/** The header of a segment. */
export function segmentHeader(mark: Buffer): Buffer {
  const payload = Buffer.alloc(8)
  payload.writeUInt32LE(version)
  mark.copy(payload, 4)
  return frameOf(payload)
}

/** Makes an unpredictable mark. */
export function newMark(): Buffer {
  return randomBytes(4)
}

/** The mark of a segment; undefined if it has no sound header. */
export function markOf(octets: Buffer): Buffer | undefined {
  const payload = framePayload(octets)
  return payload?.length === 8 && payload.readUInt32LE() === version
    ? payload.subarray(4)
    : undefined
}

/** Puts entries in one frame. */
export function encodeBatch(batch: NewBatch, mark: Buffer): Buffer {
  return atOnce(batchSteps(batch, mark))
}

/** As `encodeBatch`, in small steps.
 *  @param memory in which the frame is made, if it fits */
export function* batchSteps(batch: NewBatch, mark: Buffer, memory?: Buffer): Steps<Buffer> {
  const { first, entries } = batch
  const length = frameOctetsOf(batch)
  const hasRoom = memory !== undefined && length <= memory.length
  const frame = hasRoom ? memory.subarray(0, length) : Buffer.allocUnsafe(length)
  frame.writeUIntLE(first, frameHeaderLength, numberOctets)
  let at = batchHeaderLength
  for (const entry of entries) {
    frame.writeUInt32LE(entryOctetsOf(entry), at)
    at += lengthOctets
    for (const piece of piecesOf(entry)) at += piece.copy(frame, at)
    yield
  }
  return yield* sealSteps(frame, mark)
}

/** Entries are not copied. */
export function decodeBatch(payload: Buffer): LogBatch {
  const entries: Buffer[] = []
  for (let at = numberOctets; at < payload.length; ) {
    const start = at + lengthOctets
    at = start + payload.readUInt32LE(at)
    entries.push(payload.subarray(start, at))
  }
  return { first: payload.readUIntLE(0, numberOctets), entries }
}

/** Number of the first entry of the batch whose frame begins at `at`. */
export function firstOfBatchAt(octets: Buffer, at: number): number {
  return octets.readUIntLE(at + frameHeaderLength, numberOctets)
}

/** Octets of the frame of a batch. */
export function frameOctetsOf({ entries }: NewBatch): number {
  return entries.reduce(
    (sum, entry) => sum + lengthOctets + entryOctetsOf(entry),
    batchHeaderLength,
  )
}

/** Octets of an entry. */
export function entryOctetsOf(entry: NewEntry): number {
  return piecesOf(entry).reduce((sum, { length }) => sum + length, 0)
}

function piecesOf(entry: NewEntry): readonly Buffer[] {
  return Buffer.isBuffer(entry) ? [entry] : entry
}

/** A stretch of a segment. */
export type SegmentPart =
  | { readonly kind: 'batch'; readonly at: number; readonly batch: LogBatch }
  /** Octets that are not a sound frame; with `isLast`, all the rest. */
  | { readonly kind: 'unsound'; readonly at: number; readonly isLast: boolean }

/** Reads a segment from beginning to end, without the room there. One without a header, left by a crash during its creation, is
 *  empty unless something follows the place of the header. */
export function* partsOf(octets: Buffer): Generator<SegmentPart> {
  const mark = markOf(octets)
  if (mark === undefined) {
    const isTorn = octets.length <= segmentHeaderLength
    if (octets.length > 0) yield { kind: 'unsound', at: 0, isLast: isTorn }
    return
  }
  for (let at = segmentHeaderLength; at < octets.length; ) {
    const payload = framePayload(octets, at, mark)
    if (payload !== undefined) {
      yield { kind: 'batch', at, batch: decodeBatch(payload) }
      at += frameHeaderLength + payload.length
      continue
    }
    const next = nextFrameAt(octets, at + 1, mark)
    if (next === undefined && octets.subarray(at).every(octet => octet === 0)) return
    yield { kind: 'unsound', at, isLast: next === undefined }
    if (next === undefined) return
    at = next
  }
}
