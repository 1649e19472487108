import { checksum } from '../../durable/checksum.ts'
import { DamageError, OtherFormatError, readOf } from '../../durable/damage.ts'
import type { FileSystem } from '../../durable/file-system.ts'
import { replaceFile } from '../../durable/replace-file.ts'
import type { Month, Period } from '../period.ts'
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

/** The files of the store. Those that it does not name are left over from a crash. */
export type Manifest = {
  readonly format: 1
  /** Number of the next segment file. */
  readonly nextFile: number
  /** The first entry of the log, and so the first generation, that is not in segments. */
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
 *  @throws DamageError it is not what was written, or of another format */
export async function readManifest(
  files: FileSystem,
  folder: string,
): Promise<Manifest | undefined> {
  const path = `${folder}/${manifestName}`
  const bytes = await readOf(path, files.read(path))
  if (bytes === undefined) return undefined
  const [sum = '', text = ''] = bytes.toString().split('\n', 2)
  if (sum !== checksum(text)) throw new DamageError(path, { problem: 'its checksum does not fit' })
  const manifest = JSON.parse(text) as Manifest
  if (manifest.format !== 1) {
    throw new OtherFormatError(path, { format: manifest.format, known: '1' })
  }
  return manifest
}

/** Replaces the manifest, durably and completely or not at all. All files it names must be durable. */
export async function writeManifest(
  files: FileSystem,
  folder: string,
  manifest: Manifest,
): Promise<void> {
  await replaceFile(files, `${folder}/${manifestName}`, encodeManifest(manifest))
  await files.syncDirectory(folder)
}

/** A manifest as its file holds it. */
export function encodeManifest(manifest: Manifest): Buffer {
  const text = JSON.stringify(manifest)
  return Buffer.from(`${checksum(text)}\n${text}\n`)
}
