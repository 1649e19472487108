import { join } from 'node:path'
import type { CapturedFile } from '../durable/captured-file.ts'
import { damagedSuffix, OtherFormatError, problemOf, setAside } from '../durable/damage.ts'
import type { FileSystem, Place } from '../durable/file-system.ts'
import { previousSuffix, replaceFile } from '../durable/replace-file.ts'
import { formatDocument, parseDocument } from './document.ts'
import {
  documentPath,
  documentsDirectory,
  parseDocumentName,
  parseSegmentName,
  segmentPath,
  segmentsDirectory,
} from './layout.ts'

// The manifest is written last in a checkpoint: it names the files that hold the state as of a change, and thereby the point from
// which the log is needed. These files are never changed, so the previous manifest, which is kept beside it, names another complete
// state.

/** 3: record sets are in segments, and the log is one of `../durable`. Formats 1 and 2 are read by
 *  `older-documents.ts` and `older-journal.ts`. */
const format = 3

/** A file of an earlier format has other members. */
export type AnyManifest = { readonly format: number; readonly _lsn: number }

export type Manifest = AnyManifest & {
  /** Every change up to it is in the files. */
  readonly _lsn: number
  /** No change after it is. */
  readonly heldLsn: number
  /** The `_lsn` of the previous manifest. The log begins right after it or earlier. */
  readonly previousLsn: number
  /** Time of the last commit in the files, microseconds. */
  readonly atMicros: number
  /** Counts manifests. */
  readonly generation: number
  readonly documents: readonly DocumentFile[]
  /** Oldest first: of two states of a record set the later one counts. */
  readonly segments: readonly SegmentFile[]
}

/** A document, in the file that was written for a generation. */
export type DocumentFile = {
  readonly name: string
  readonly generation: number
  /** Its own, by which another sound file in its place is noticed; manifests of earlier versions have none. */
  readonly checksum?: string | undefined
}

export type SegmentFile = {
  readonly generation: number
  readonly octets: number
  /** Record sets in it. */
  readonly rows: number
  /** Of the headers of its frames, which have those of their contents; as of a document. */
  readonly checksum?: string | undefined
}

export const emptyManifest: Manifest = {
  _lsn: 0,
  format,
  heldLsn: 0,
  previousLsn: 0,
  atMicros: 0,
  generation: 0,
  documents: [],
  segments: [],
}

export function manifestPath(directory: string): string {
  return join(directory, 'manifest.json')
}

/** Both generations of the manifest, as far as they can be read. */
export type FoundManifests = {
  readonly current: AnyManifest | undefined
  readonly previous: AnyManifest | undefined
  /** Why there is no current manifest; undefined if its file does not exist either. */
  readonly problem: string | undefined
}

/** Reads the manifests of a directory.
 *  @throws OtherFormatError one is of a later version. */
export async function readManifests({ files, directory }: Place): Promise<FoundManifests> {
  const path = manifestPath(directory)
  const current = await tryRead(files, path)
  const previous = await tryRead(files, path + previousSuffix)
  for (const { manifest } of [current, previous]) {
    if (manifest !== undefined && manifest.format > format)
      throw new OtherFormatError(path, { format: manifest.format, known: `1 to ${format}` })
  }
  return { current: current.manifest, previous: previous.manifest, problem: current.problem }
}

async function tryRead(files: FileSystem, path: string) {
  try {
    const octets = await files.read(path)
    const manifest = octets === undefined ? undefined : parseDocument<AnyManifest>(octets)
    return { manifest, problem: undefined }
  } catch (error) {
    return { manifest: undefined, problem: problemOf(error) }
  }
}

/** Whether a manifest names segments and documents by generation. */
export function isManifest(manifest: AnyManifest | undefined): manifest is Manifest {
  return manifest !== undefined && 'generation' in manifest
}

/** Replaces the manifest and keeps the previous one beside it. */
export async function writeManifest(
  place: Place,
  manifest: Omit<Manifest, 'format'>,
): Promise<void> {
  await replaceManifest(place, manifest)
  await place.files.syncDirectory(place.directory)
}

/** As `writeManifest`; which one a loss of power leaves is unknown until the directory is synced. */
export function replaceManifest(
  { files, directory }: Place,
  manifest: Omit<Manifest, 'format'>,
): Promise<void> {
  const octets = encodeManifest(manifest)
  return replaceFile(files, manifestPath(directory), octets, { keepsPrevious: true })
}

function encodeManifest(manifest: Omit<Manifest, 'format'>): Buffer {
  return Buffer.concat([...formatDocument({ ...manifest, format })])
}

/** A manifest with the files that it names. */
export function captureGeneration(directory: string, manifest: Manifest): readonly CapturedFile[] {
  const files = pathsOf(directory, manifest).map(path => ({ path }))
  return [{ path: manifestPath(directory), content: encodeManifest(manifest) }, ...files]
}

/** Restores the previous manifest in place of the present one, some of whose files cannot be read. Those are kept for
 *  inspection. Can be interrupted and repeated. */
export async function revertGeneration(
  { files, directory }: Place,
  unreadable: readonly string[],
): Promise<void> {
  const path = manifestPath(directory)
  for (const each of unreadable) {
    if (each !== path) await setAside(files, each)
  }
  await files.link(path, path + damagedSuffix)
  if ((await files.read(path + previousSuffix)) !== undefined)
    await files.rename(path + previousSuffix, path)
  for (const each of [documentsDirectory(directory), segmentsDirectory(directory), directory])
    await files.syncDirectory(each)
}

/** Builds a replacement for a lost manifest: the latest file of each document, and all segments. Some of these may already be
 *  merged into others, which is harmless. All of the log has to be read then.
 *  @param lsn of the last change before the log */
export async function rebuiltManifest({ files, directory }: Place, lsn: number): Promise<Manifest> {
  const generationByName = new Map<string, number>()
  for (const file of await files.list(documentsDirectory(directory))) {
    const { name = '', generation = 0 } = parseDocumentName(file) ?? {}
    generationByName.set(name, Math.max(generation, generationByName.get(name) ?? 0))
  }
  generationByName.delete('')
  const segments = (await files.list(segmentsDirectory(directory)))
    .flatMap(file => parseSegmentName(file) ?? [])
    .sort((left, right) => left - right)
    .map(generation => ({ generation, octets: -1, rows: 0 }))
  const documents = Array.from(generationByName, ([name, generation]) => ({ name, generation }))
  const generation = Math.max(0, ...[...segments, ...documents].map(({ generation }) => generation))
  return {
    ...emptyManifest,
    _lsn: lsn,
    previousLsn: lsn,
    generation,
    documents,
    segments,
  }
}

/** A manifest without the files that are gone. A segment is nothing without the others. */
export async function withoutMissing(
  { files, directory }: Place,
  manifest: Manifest,
): Promise<Manifest> {
  const found = new Set<string>()
  for (const folder of [documentsDirectory(directory), segmentsDirectory(directory)])
    for (const name of await files.list(folder)) found.add(join(folder, name))
  if (pathsOf(directory, manifest).every(path => found.has(path))) return manifest
  const documents = manifest.documents.filter(({ name, generation }) =>
    found.has(documentPath(directory, name, generation)),
  )
  const hasSegments = manifest.segments.every(({ generation }) =>
    found.has(segmentPath(directory, generation)),
  )
  return { ...manifest, documents, segments: hasSegments ? manifest.segments : [] }
}

/** Removes the documents and segments that none of the given manifests names. Segments are removed oldest first: what a later
 *  segment says about an earlier one is needed as long as the earlier one exists. */
export async function removeUnnamed(
  { files, directory }: Place,
  manifests: readonly Manifest[],
): Promise<void> {
  const named = new Set(manifests.flatMap(manifest => pathsOf(directory, manifest)))
  for (const folder of [documentsDirectory(directory), segmentsDirectory(directory)]) {
    for (const name of await files.list(folder)) {
      const path = join(folder, name)
      const isOurs = parseDocumentName(name) !== undefined || parseSegmentName(name) !== undefined
      if (isOurs && !named.has(path)) await files.remove(path)
    }
  }
}

/** The files that a manifest names. */
function pathsOf(directory: string, { documents, segments }: Manifest): readonly string[] {
  return [
    ...documents.map(({ name, generation }) => documentPath(directory, name, generation)),
    ...segments.map(({ generation }) => segmentPath(directory, generation)),
  ]
}
