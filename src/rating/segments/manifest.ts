import { crc32 } from 'node:zlib'
import type { Month, Period } from '../period.ts'
import type { Disk } from './disk.ts'
import { DamagedFileError } from './frame.ts'
import type { StoredRemovals } from './removals.ts'

/** A segment that is part of the store. */
export type SegmentEntry = {
  /** Its file is `<month>/<file>`. */
  readonly file: string
  readonly month: Month
  /** The generation its points count as: removals of later ones hide them. */
  readonly generation: number
  readonly pointCount: number
  /** From the first begin to behind the last. */
  readonly span: Period
}

/** What the store consists of. Files that it does not name are left over from a crash. */
export type Manifest = {
  readonly format: 1
  /** Number of the next segment file. */
  readonly nextFile: number
  /** The first generation whose points are in a journal still. */
  readonly firstJournal: number
  readonly segments: readonly SegmentEntry[]
  /** The removals of the generations before `firstJournal`. */
  readonly removals: StoredRemovals
  /** The keys of the latest batches, oldest first. */
  readonly keys: readonly string[]
}

export const emptyManifest: Manifest = {
  format: 1,
  nextFile: 1,
  firstJournal: 1,
  segments: [],
  removals: [],
  keys: [],
}

export const manifestName = 'manifest.json'

/** Reads the manifest of a store; undefined where there is none.
 *  @throws DamagedFileError it is not what was written, or of another format */
export async function readManifest(disk: Disk, folder: string): Promise<Manifest | undefined> {
  const path = `${folder}/${manifestName}`
  const bytes = await disk.readFile(path)
  if (bytes === undefined) return undefined
  const [checksum = '', text = ''] = bytes.toString().split('\n', 2)
  if (checksum !== checksumOf(text)) throw new DamagedFileError(`${path} is damaged`)
  const manifest = JSON.parse(text) as Manifest
  if (manifest.format !== 1) throw new DamagedFileError(`${path} has format ${manifest.format}`)
  return manifest
}

/** Puts a manifest in the place of the one before; durable and complete, or not at all. All files it names must
 *  be durable. */
export async function writeManifest(disk: Disk, folder: string, manifest: Manifest): Promise<void> {
  const text = JSON.stringify(manifest)
  const temporary = `${folder}/${manifestName}.new`
  const file = await disk.openToAppend(temporary, 0)
  try {
    await file.append([Buffer.from(`${checksumOf(text)}\n${text}\n`)])
    await file.sync()
  } finally {
    await file.close()
  }
  await disk.rename(temporary, `${folder}/${manifestName}`)
  await disk.syncFolder(folder)
}

function checksumOf(text: string): string {
  return crc32(text).toString(16).padStart(8, '0')
}
