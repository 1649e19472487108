import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { CollectionName } from '../model/collections.ts'
import { collectionNames } from './tables.ts'

// Which file a row lives in. Record sets are in segments; each other collection has one document, zones have 64. Every file name
// contains the number of the generation it was written for, and the file is never changed.

/** Documents that zones are spread over. */
export const zoneShardCount = 64

/** The document of a row: the collection's name, for zones with the number of the shard. */
export function documentOf(collection: CollectionName, id: string): string {
  return collection === 'zones' ? zoneDocument(crc32(id) % zoneShardCount) : collection
}

function zoneDocument(shard: number): string {
  return `zones-${shard.toString(16).padStart(2, '0')}`
}

/** The names of all possible documents. */
export const documentNames: readonly string[] = collectionNames.flatMap(collection => {
  if (collection === 'recordsets') return []
  if (collection !== 'zones') return collection
  return Array.from({ length: zoneShardCount }, (_, shard) => zoneDocument(shard))
})

/** The collection whose rows are in a document. */
export function collectionOf(document: string): CollectionName {
  return (document.startsWith('zones-') ? 'zones' : document) as CollectionName
}

export function documentsDirectory(directory: string): string {
  return join(directory, 'documents')
}

export function documentPath(directory: string, name: string, generation: number): string {
  return join(documentsDirectory(directory), `${name}.${generation}.json`)
}

export function segmentsDirectory(directory: string): string {
  return join(directory, 'segments')
}

const generationDigits = 12

export function segmentPath(directory: string, generation: number): string {
  const name = `${String(generation).padStart(generationDigits, '0')}.segment`
  return join(segmentsDirectory(directory), name)
}

const documentName = /^([\w-]+)\.(\d+)\.json$/
const segmentName = /^(\d{12,})\.segment$/

/** The document and generation of a file name; undefined if it is not a document's. */
export function parseDocumentName(
  name: string,
): { readonly name: string; readonly generation: number } | undefined {
  const [, document, generation] = documentName.exec(name) ?? []
  return document !== undefined && documentNames.includes(document)
    ? { name: document, generation: Number(generation) }
    : undefined
}

/** The generation of a segment's file name; undefined if it is not a segment's. */
export function parseSegmentName(name: string): number | undefined {
  const [, generation] = segmentName.exec(name) ?? []
  return generation === undefined ? undefined : Number(generation)
}
