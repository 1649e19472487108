import type { FileSystem } from '../durable/file-system.ts'
import { packRun, type RecordsetRun } from '../model/recordset-run.ts'
import { type Document, type FoundDocument, readDocument } from './document.ts'
import type { ShardDocument, ZoneDocument } from './layout.ts'

/** A document of a zone, or a shard of one, as it is kept: its record sets packed. */
export type Packed<T extends Document> = Omit<T, 'recordsets'> & {
  readonly recordsets: RecordsetRun
}

/** What was found in the place of a document that has record sets. */
export type FoundPacked = FoundDocument<Packed<ZoneDocument> | Packed<ShardDocument>>

/** Reads documents that have record sets. */
export async function readPacked(
  files: FileSystem,
  paths: readonly string[],
): Promise<FoundPacked[]> {
  return Promise.all(paths.map(path => readOne(files, path)))
}

async function readOne(files: FileSystem, path: string): Promise<FoundPacked> {
  const found = await readDocument<ZoneDocument | ShardDocument>(files, path)
  if (found.document === null) return { ...found, document: null }
  return {
    ...found,
    document: { ...found.document, recordsets: packRun(found.document.recordsets) },
  }
}
