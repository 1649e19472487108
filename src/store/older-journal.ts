import { join } from 'node:path'
import { checksum } from '../durable/checksum.ts'
import type { FileSystem } from '../durable/file-system.ts'
import { encodeBatch, newMark, type Segment, segmentHeader } from '../durable/log-segment.ts'
import type { CollectionName } from '../model/collections.ts'
import { encodeCommit, runIn } from './commit-entry.ts'
import type { Change } from './store.ts'
import type { Row } from './table.ts'

// The journal of formats 1 and 2: a commit is a line of JSON, `crc` its last member, and the checksum of all octets in
// front of that. It is read as if it were a log, and removed as checkpoints make it superfluous.

type Line = {
  readonly lsn: number
  readonly at: number
  /** The first LSN of the batch it was made durable with. */
  readonly batch: number
  /** Whole rows after the change, null for those it deleted. */
  readonly changes: readonly {
    readonly collection: CollectionName
    readonly id: string
    readonly row: Row | null
  }[]
  /** Recordsets that came packed: a run in base64. */
  readonly packed?: string
  readonly facts?: unknown
}

const segmentName = /^(\d{16})\.ndjson$/
const sealPattern = /^,"crc":"([0-9a-f]{8})"\}$/
const sealOctets = ',"crc":"00000000"}'.length
const lineFeed = 0x0a
/** Secret, as that of any segment: `LogHistory` searches for frames. */
const mark = newMark()

/** The segments that an earlier version wrote, oldest first. */
export async function listOlderSegments(
  files: FileSystem,
  directory: string,
): Promise<readonly Segment[]> {
  const names = await files.list(directory)
  return names.flatMap(name => {
    const match = segmentName.exec(name)
    if (match === null) return []
    const path = join(directory, name)
    const octets = async () => segmentOf((await files.read(path)) ?? Buffer.alloc(0))
    return [{ first: Number(match[1]), path, octets }]
  })
}

/** The lines of a file as a segment of a log. A line that is not whole was torn by a crash, if no later batch is behind
 *  it, and is left out with the rest of its own; otherwise octets that are no frame stand for it. */
function segmentOf(octets: Buffer): Buffer {
  const parts: Buffer[] = [segmentHeader(mark)]
  const lines = linesOf(octets)
  let lastLsn = 0
  for (const [i, line] of lines.entries()) {
    if (line !== undefined) {
      parts.push(encodeBatch({ first: line.lsn, entries: [entryOf(line)] }, mark))
      lastLsn = line.lsn
    } else if (lines.slice(i).some(later => later !== undefined && later.batch > lastLsn + 1)) {
      parts.push(Buffer.alloc(1))
    } else break
  }
  return Buffer.concat(parts)
}

function entryOf({ lsn, at, changes, packed, facts }: Line): Buffer {
  const rowChanges = changes.map(({ collection, id, row }) => {
    return { collection, id, before: undefined, after: row ?? undefined } as Change
  })
  const added = packed === undefined ? [] : [runIn(Buffer.from(packed, 'base64'))]
  return encodeCommit({ lsn, atMicros: at, rowChanges, added, facts })
}

/** Undefined for each that is not whole. */
function linesOf(octets: Buffer): readonly (Line | undefined)[] {
  const lines: (Line | undefined)[] = []
  for (let at = 0; at < octets.length; ) {
    const end = octets.indexOf(lineFeed, at)
    lines.push(end < 0 ? undefined : parseLine(octets.subarray(at, end)))
    at = end < 0 ? octets.length : end + 1
  }
  return lines
}

function parseLine(line: Buffer): Line | undefined {
  const bodyOctets = Math.max(0, line.length - sealOctets)
  const [, crc] = sealPattern.exec(line.toString('latin1', bodyOctets)) ?? []
  if (crc === undefined || checksum(line.subarray(0, bodyOctets)) !== crc) return undefined
  return JSON.parse(line.toString('utf8')) as Line
}
