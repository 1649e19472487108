import type { FileSystem } from '../../durable/file-system.ts'
import { frameHeaderLength, framePayload, nextFrameAt } from '../../durable/frame.ts'
import {
  encodeBatch,
  listSegments,
  type Segment,
  segmentHeader,
} from '../../durable/log-segment.ts'
import { replaceFile } from '../../durable/replace-file.ts'
import { ByteReader } from './byte-reader.ts'

// The journals of points and of the meter in versions without the common log: `<generation>.journal`, a frame for each
// sync, with a count and then records behind their lengths. They are read like segments of a log, and removed once their
// records are written out.

const journalName = /^(\d+)\.journal$/
/** Its value does not matter: octets that are no frame are left out, so nothing is recognized by it. */
const mark = Buffer.from('past')

/** The segments of the log in a folder, oldest first. The journals that an earlier version wrote come before the others; their
 *  records are numbered from the first needed generation on. */
export async function listLog(
  files: FileSystem,
  folder: string,
  firstNeeded = 1,
): Promise<Segment[]> {
  const names = await files.list(folder)
  const segments: Segment[] = []
  let next = firstNeeded
  for (const name of names) {
    const generation = Number(journalName.exec(name)?.[1] ?? 0)
    if (generation === 0) continue
    const path = `${folder}/${name}`
    if (generation < firstNeeded) {
      segments.push({ first: generation, path, octets: async () => segmentHeader(mark) })
      continue
    }
    const { octets, recordCount } = asSegment((await files.read(path)) ?? Buffer.alloc(0), next)
    segments.push({ first: next, path, octets: async () => octets })
    next += recordCount
  }
  return [...segments, ...(await listSegments(files, folder))]
}

/** Octets that are no frame but have one behind them are damage in the segment as well; a torn end is left out. */
function asSegment(octets: Buffer, first: number) {
  const parts = [segmentHeader(mark)]
  let recordCount = 0
  for (let at: number | undefined = 0; at !== undefined; ) {
    const payload: Buffer | undefined = framePayload(octets, at)
    if (payload === undefined) {
      at = nextFrameAt(octets, at + 1)
      if (at !== undefined) parts.push(Buffer.alloc(1))
      continue
    }
    const entries = recordsOf(payload)
    parts.push(encodeBatch({ first: first + recordCount, entries }, mark))
    recordCount += entries.length
    at += frameHeaderLength + payload.length
  }
  return { octets: Buffer.concat(parts), recordCount }
}

/** Keeps everything before the first damage. */
export async function repairOlderJournal(files: FileSystem, path: string): Promise<void> {
  const octets = (await files.read(path)) ?? Buffer.alloc(0)
  let end = 0
  for (let payload = framePayload(octets); payload !== undefined; ) {
    end += frameHeaderLength + payload.length
    payload = framePayload(octets, end)
  }
  await replaceFile(files, path, octets.subarray(0, end))
}

function recordsOf(payload: Buffer): readonly Buffer[] {
  const reader = new ByteReader(payload)
  return Array.from({ length: reader.varint() }, () => reader.take(reader.varint()))
}
