import { join } from 'node:path'
import type { CollectionName } from '../model/collections.ts'
import type { Recordset } from '../model/recordset.ts'
import type { Zone } from '../model/zone.ts'
import type { Document } from './document.ts'
import { comparePlaces } from './ordered-rows.ts'
import type { Row } from './table.ts'
import type { Tables } from './tables.ts'
import type { ShardStart } from './zone-shards.ts'

// Which document a row lives in. Small collections are a document each. A zone is a document with its record
// sets, so that a person finds all of it in one place; once it has many they move to shards beside it, so that
// no single document takes long to write. Rows are in creation order.

/** Names a document: a collection, a zone, or one shard of a zone's record sets. */
export type DocumentKey =
  | { readonly kind: 'system'; readonly collection: CollectionName }
  | { readonly kind: 'zone'; readonly zoneId: string }
  | { readonly kind: 'shard'; readonly zoneId: string; readonly number: number }

export type SystemDocument = Document & { readonly rows: readonly Row[] }

export type ZoneDocument = Document & {
  readonly zone: Zone
  /** Empty: the record sets are in here. */
  readonly shards: readonly ShardStart[]
  readonly recordsets: readonly Recordset[]
}

export type ShardDocument = Document & { readonly recordsets: readonly Recordset[] }

/** A key as one string, for sets. */
export function keyText(key: DocumentKey): string {
  if (key.kind === 'system') return `system/${key.collection}`
  return key.kind === 'zone' ? `zone/${key.zoneId}` : `shard/${key.zoneId}/${key.number}`
}

export function systemDirectory(directory: string): string {
  return join(directory, 'system')
}

export function zonesDirectory(directory: string): string {
  return join(directory, 'zones')
}

export function documentPath(directory: string, key: DocumentKey): string {
  if (key.kind === 'system') return join(systemDirectory(directory), `${key.collection}.json`)
  if (key.kind === 'zone') return `${zonePath(directory, key.zoneId)}.json`
  return join(shardDirectory(directory, key.zoneId), `${formatNumber(key.number)}.json`)
}

export function shardDirectory(directory: string, zoneId: string): string {
  return `${zonePath(directory, zoneId)}.d`
}

const numberDigits = 6
const shardName = /^(\d{6,})\.json$/

function formatNumber(number: number): string {
  return String(number).padStart(numberDigits, '0')
}

/** The number of the shard in a file of this name; undefined where it is not a shard's. */
export function parseShardName(name: string): number | undefined {
  const [, number] = shardName.exec(name) ?? []
  return number === undefined ? undefined : Number(number)
}

const shardDirectoryName = /^(.+)\.d$/

/** The zone whose shards are in a directory of this name; undefined for any other name. */
export function parseShardDirectory(name: string): string | undefined {
  return shardDirectoryName.exec(name)?.[1]
}

const zoneName = /^(.+)\.json$/

/** The zone whose document is in a file of this name; undefined for any other name. */
export function parseZoneName(name: string): string | undefined {
  return zoneName.exec(name)?.[1]
}

/** Ids become file names. They are UUIDs, made by this program; that one from outside could never lead out of
 *  the store's directory is checked all the same. */
const idPattern = /^[0-9a-zA-Z_-]+$/

function zonePath(directory: string, zoneId: string): string {
  if (!idPattern.test(zoneId)) throw new Error(`zone id ${zoneId} cannot name a file`)
  return join(zonesDirectory(directory), zoneId.slice(0, 2), zoneId)
}

/** A small collection's document. */
export function systemDocument(
  tables: Tables,
  collection: CollectionName,
  lsn: number,
): SystemDocument {
  return { _lsn: lsn, rows: [...tables.table(collection).values()].sort(comparePlaces) }
}
