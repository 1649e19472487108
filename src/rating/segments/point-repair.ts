import { dirname } from 'node:path'
import {
  DamageError,
  type Defect,
  damagedSuffix,
  OtherFormatError,
  setAside,
} from '../../durable/damage.ts'
import type { FileSystem } from '../../durable/file-system.ts'
import { frameOf, soundFrames } from '../../durable/frame.ts'
import { replaceFile } from '../../durable/replace-file.ts'
import { allTime } from '../period.ts'
import { readClosedJournal, readJournal } from './journal.ts'
import { type Manifest, manifestName, readManifest, writeManifest } from './manifest.ts'
import { journalName, numbersIn } from './recovery.ts'
import { Segment } from './segment.ts'
import { journalFolder, SegmentSet } from './segment-set.ts'

/** Reads all files of a store of points and lists what is not as it was written; changes nothing. */
export async function checkPoints(files: FileSystem, folder: string): Promise<readonly Defect[]> {
  const inManifest = await defectOf(SegmentSet.open(files, folder))
  if (inManifest?.file === `${folder}/${manifestName}`) return [inManifest]
  const manifest = await readManifest(files, folder)
  if (manifest === undefined) return []
  const found = [
    ...manifest.segments.map(({ month, file }) =>
      checkSegment(files, `${folder}/${month}/${file}`),
    ),
    ...(await journalsOf(files, folder, manifest)).map(({ path, isLast }) =>
      checkJournal(files, path, isLast),
    ),
  ]
  return (await Promise.all(found)).filter(defect => defect !== undefined)
}

/** Gives up what is damaged for the sake of the rest: a segment, some batches of a journal or, without a manifest, all of
 *  it. Returns the paths that it is kept under. Interrupted anywhere, it can be run again. */
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
  for (const path of damaged) if ((await files.size(path)) > 0) kept.push(path + damagedSuffix)
  for (const { path } of await journalsOf(files, folder, manifest))
    if (damaged.has(path)) await repairJournal(files, path)
  const isDamaged = ({ month, file }: Manifest['segments'][number]) =>
    damaged.has(`${folder}/${month}/${file}`)
  for (const { month, file } of manifest.segments.filter(isDamaged)) {
    await setAside(files, `${folder}/${month}/${file}`)
    await files.syncDirectory(`${folder}/${month}`)
  }
  const segments = manifest.segments.filter(entry => !isDamaged(entry))
  await writeManifest(files, folder, { ...manifest, segments })
  return kept
}

/** Keeps the sound frames of a journal in its place, and all of it beside. */
async function repairJournal(files: FileSystem, path: string): Promise<void> {
  const octets = (await files.read(path)) ?? Buffer.alloc(0)
  await files.link(path, path + damagedSuffix)
  await replaceFile(files, path, Buffer.concat(soundFrames(octets).map(frameOf)))
  await files.syncDirectory(dirname(path))
}

async function setFolderAside(files: FileSystem, folder: string): Promise<string> {
  const aside = folder + damagedSuffix
  await files.remove(aside)
  await files.rename(folder, aside)
  await files.syncDirectory(dirname(folder))
  return aside
}

/** The journals that the manifest counts on, those that are missing among them. */
async function journalsOf(files: FileSystem, folder: string, { firstJournal }: Manifest) {
  const last = (await numbersIn(files, `${folder}/${journalFolder}`)).at(-1) ?? firstJournal
  return Array.from({ length: Math.max(0, last - firstJournal + 1) }, (_, i) => ({
    path: `${folder}/${journalFolder}/${journalName(firstJournal + i)}`,
    isLast: firstJournal + i === last,
  }))
}

async function checkJournal(
  files: FileSystem,
  path: string,
  isLast: boolean,
): Promise<Defect | undefined> {
  const isThere = (await files.list(dirname(path))).some(name => path.endsWith(`/${name}`))
  // Only a store that is new has none yet.
  if (!isThere && !(isLast && path.endsWith(journalName(1))))
    return { file: path, problem: 'it is missing' }
  return defectOf(isLast ? readJournal(files, path) : readClosedJournal(files, path))
}

async function checkSegment(files: FileSystem, path: string): Promise<Defect | undefined> {
  const isThere = (await files.list(dirname(path))).some(name => path.endsWith(`/${name}`))
  return isThere ? defectOf(readSegment(files, path)) : { file: path, problem: 'it is missing' }
}

async function readSegment(files: FileSystem, path: string): Promise<void> {
  const segment = new Segment(files, path)
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
