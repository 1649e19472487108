import { dirname } from 'node:path'
import {
  DamageError,
  type Defect,
  damagedSuffix,
  type Mended,
  OtherFormatError,
  setAside,
} from '../../durable/damage.ts'
import type { FileSystem } from '../../durable/file-system.ts'
import { mendedEnd, soundBatchesOf } from '../../durable/log-recovery.ts'
import {
  encodeBatch,
  type Segment as LogSegment,
  newMark,
  segmentAt,
  segmentHeader,
} from '../../durable/log-segment.ts'
import { replaceFile } from '../../durable/replace-file.ts'
import { allTime } from '../period.ts'
import {
  type Manifest,
  manifestName,
  readManifest,
  type SegmentEntry,
  writeManifest,
} from './manifest.ts'
import { listLog, repairOlderJournal } from './older-journal.ts'
import { recover } from './recovery.ts'
import { Segment } from './segment.ts'
import { journalFolder, SegmentSet } from './segment-set.ts'

/** Receives what the next start does away with. */
export type OnMended = (mended: Mended) => void

/** Reads all files of a store of points and lists what is not as it was written; changes nothing. */
export async function checkPoints(
  files: FileSystem,
  folder: string,
  onMended: OnMended = () => undefined,
): Promise<readonly Defect[]> {
  const inManifest = await defectOf(SegmentSet.open(files, folder))
  if (inManifest?.file === `${folder}/${manifestName}`) return [inManifest]
  const manifest = await readManifest(files, folder)
  if (manifest === undefined) return []
  const found = [
    ...manifest.segments.map(entry => checkSegment(files, folder, entry)),
    defectOf(
      recover(files, `${folder}/${journalFolder}`, manifest).then(({ cut }) => {
        if (cut !== undefined) onMended(mendedEnd(cut))
      }),
    ),
  ]
  return (await Promise.all(found)).filter(defect => defect !== undefined)
}

/** Gives up what is damaged so that the rest can be used: a segment, some batches of the log or, without a manifest,
 *  everything. Returns the paths under which it is kept. After an interruption it can be run again. */
export async function repairPoints(
  files: FileSystem,
  folder: string,
  defects: readonly Defect[],
): Promise<readonly string[]> {
  const damaged = new Set(defects.map(({ file }) => file))
  if (damaged.has(`${folder}/${manifestName}`)) return [await setFolderAside(files, folder)]
  const manifest = await readManifest(files, folder)
  if (manifest === undefined || damaged.size === 0) return []
  const kept: string[] = []
  if ((await defectOf(recover(files, `${folder}/${journalFolder}`, manifest))) !== undefined)
    kept.push(...(await repairLog(files, `${folder}/${journalFolder}`, manifest)))
  const isDamaged = ({ month, file }: Manifest['segments'][number]) =>
    damaged.has(`${folder}/${month}/${file}`)
  for (const { month, file } of manifest.segments.filter(isDamaged)) {
    const path = `${folder}/${month}/${file}`
    if ((await files.size(path)) > 0) kept.push(path + damagedSuffix)
    await setAside(files, path)
    await files.syncDirectory(`${folder}/${month}`)
  }
  const segments = manifest.segments.filter(entry => !isDamaged(entry))
  await writeManifest(files, folder, { ...manifest, segments })
  return kept
}

/** Keeps the sound batches of the log in their places, and a copy of each damaged segment. Lost entries are left empty, so
 *  that those behind them keep their numbers. A segment with numbers that others have is none of the log, and is set aside. */
async function repairLog(
  files: FileSystem,
  folder: string,
  manifest: Manifest,
): Promise<readonly string[]> {
  const { firstJournal } = manifest
  const kept: string[] = []
  const segments = await listLog(files, folder, firstJournal)
  const needed = segments.filter(({ first }) => first >= firstJournal)
  let next = firstJournal
  if (needed.length === 0) await writeSegment(files, segmentAt(folder, next), [])
  for (const segment of needed) {
    const { first, path } = segment
    const { batches, isBroken } = await soundBatchesOf(files, segment)
    if (first < next || batches.some(batch => batch.first < first)) {
      await setAside(files, path)
      kept.push(path + damagedSuffix)
      continue
    }
    if (first > next) await writeSegment(files, segmentAt(folder, next), noEntries(first - next))
    const entries: Buffer[] = []
    for (const batch of batches)
      entries.push(...noEntries(batch.first - first - entries.length), ...batch.entries)
    next = first + entries.length
    if (!isBroken) continue
    await files.link(path, path + damagedSuffix)
    kept.push(path + damagedSuffix)
    if (segment.octets === undefined) await writeSegment(files, segment, entries)
    else await repairOlderJournal(files, path)
  }
  await files.syncDirectory(folder)
  return kept
}

async function writeSegment(
  files: FileSystem,
  { path, first }: LogSegment,
  entries: readonly Buffer[],
): Promise<void> {
  const mark = newMark()
  const batch = entries.length === 0 ? [] : [encodeBatch({ first, entries }, mark)]
  await replaceFile(files, path, Buffer.concat([segmentHeader(mark), ...batch]))
}

function noEntries(count: number): readonly Buffer[] {
  return Array.from({ length: Math.max(0, count) }, () => Buffer.alloc(0))
}

async function setFolderAside(files: FileSystem, folder: string): Promise<string> {
  const aside = folder + damagedSuffix
  await files.remove(aside)
  await files.rename(folder, aside)
  await files.syncDirectory(dirname(folder))
  return aside
}

async function checkSegment(
  files: FileSystem,
  folder: string,
  entry: SegmentEntry,
): Promise<Defect | undefined> {
  const path = `${folder}/${entry.month}/${entry.file}`
  const isThere = (await files.list(dirname(path))).some(name => path.endsWith(`/${name}`))
  return isThere
    ? defectOf(readSegment(new Segment(files, path, entry)))
    : { file: path, problem: 'it is missing' }
}

async function readSegment(segment: Segment): Promise<void> {
  segment.retain()
  try {
    for await (const _ of segment.chunks(allTime));
  } finally {
    await segment.release()
  }
}

async function defectOf(reading: Promise<unknown>): Promise<Defect | undefined> {
  try {
    await reading
    return undefined
  } catch (error) {
    if (!(error instanceof DamageError) || error instanceof OtherFormatError) throw error
    return { file: error.file, problem: error.problem }
  }
}
