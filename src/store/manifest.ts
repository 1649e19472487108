import { join } from 'node:path'
import { type OnDamage, OtherFormatError } from '../durable/damage.ts'
import type { FileSystem, Place } from '../durable/file-system.ts'
import type { CollectionName } from '../model/collections.ts'
import { type Document, readDocument, writeDocument } from './document.ts'
import { listSegments } from './journal.ts'
import { systemDirectory } from './layout.ts'
import { collectionNames } from './tables.ts'

// The manifest is written last in a checkpoint: it says what the documents hold and so from where on the
// journal is needed. A document newer than the manifest does no harm, because journal entries are whole rows
// and are replayed in order up to the end.

/** 2: the journal may have record sets packed, and not as rows alone (`journal-line.ts`). What is of format 1 is of
 *  format 2 as well; the manifest says so before anything is journaled, for a program that reads format 1 would not see
 *  what is packed. */
const format = 2
const readFormats: readonly number[] = [1, format]

/** `_lsn`: every change up to it is in the documents. */
export type Manifest = Document & {
  readonly format: number
  /** The same for the checkpoint before: where to start when a document's previous generation is used. The
   *  journal begins no later than behind it. */
  readonly previousLsn: number
  /** Time of the last commit in the documents, microseconds. */
  readonly atMicros: number
  /** Collections that have a document. */
  readonly collections: readonly CollectionName[]
}

/** Every zone that had a document when the list was written, so that a lost file is noticed. Written by the
 *  first checkpoint and by each that finds zones made or deleted. */
export type ZoneList = Document & { readonly ids: readonly string[] }

export const emptyManifest: Manifest = {
  _lsn: 0,
  format,
  previousLsn: 0,
  atMicros: 0,
  collections: [],
}

export function manifestPath(directory: string): string {
  return join(directory, 'manifest.json')
}

export function zoneListPath(directory: string): string {
  return join(directory, 'zones.json')
}

/** Reads the manifest; undefined for a directory without a store. Where it is lost, what stands in for it
 *  makes all of the journal be read.
 *  @throws DamageError it is of another version. */
export async function readManifest(
  { files, directory }: Place,
  onDamage: OnDamage,
): Promise<{ readonly manifest: Manifest; readonly isPrevious: boolean } | undefined> {
  const path = manifestPath(directory)
  const { document, isPrevious, problem } = await readDocument<Manifest>(files, path)
  if (document === null) {
    if (problem === undefined && !(await holdsData(files, directory))) return
    onDamage(path, problem ?? 'it is missing beside other data')
    return { manifest: await rebuiltManifest({ files, directory }), isPrevious }
  }
  if (!readFormats.includes(document.format)) {
    const known = readFormats.join(' and ')
    throw new OtherFormatError(path, { format: document.format, known })
  }
  return { manifest: document, isPrevious }
}

async function holdsData(files: FileSystem, directory: string): Promise<boolean> {
  const names = await files.list(directory)
  return names.some(name => ['journal', 'system', 'zones', 'zones.json'].includes(name))
}

async function rebuiltManifest({ files, directory }: Place): Promise<Manifest> {
  const [segment] = await listSegments(files, directory)
  const lsn = (segment?.firstLsn ?? 1) - 1
  const names = await files.list(systemDirectory(directory))
  const collections = collectionNames.filter(name => names.includes(`${name}.json`))
  return { ...emptyManifest, _lsn: lsn, previousLsn: lsn, collections }
}

/** Whether a manifest is what this program would write. */
export function isPresentFormat({ format: written }: Manifest): boolean {
  return written === format
}

export async function writeManifest(
  files: FileSystem,
  directory: string,
  manifest: Omit<Manifest, 'format'>,
): Promise<void> {
  await writeDocument<Manifest>(files, manifestPath(directory), { ...manifest, format })
  await files.syncDirectory(directory)
}
