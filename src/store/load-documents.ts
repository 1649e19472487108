import { join } from 'node:path'
import type { OnDamage } from '../durable/damage.ts'
import type { Place } from '../durable/file-system.ts'
import { previousSuffix, temporarySuffix } from '../durable/replace-file.ts'
import type { CollectionName } from '../model/collections.ts'
import { type Document, type FoundDocument, readDocument } from './document.ts'
import { DocumentReader } from './document-reader.ts'
import {
  type DocumentKey,
  documentPath,
  parseShardDirectory,
  parseShardName,
  parseZoneName,
  type ShardDocument,
  type SystemDocument,
  shardDirectory,
  systemDirectory,
  type ZoneDocument,
  zonesDirectory,
} from './layout.ts'
import type { LoadedRows } from './loaded-rows.ts'
import { type Manifest, manifestPath, type ZoneList, zoneListPath } from './manifest.ts'
import { ShardNumbers } from './shard-plan.ts'
import type { Packed } from './zone-documents.ts'
import { type ShardStart, ZoneShards } from './zone-shards.ts'

/** What the documents told beside their rows. */
export type LoadedDocuments = {
  /** Of the zones that have any. */
  readonly shardsByZone: Map<string, ZoneShards>
  readonly shardNumbers: ShardNumbers
  /** Zones that should have a document and have none; right only if the journal deletes them. */
  readonly missingZoneIds: ReadonlySet<string>
  /** The last change that any document was written behind. */
  readonly lastLsn: number
  /** Documents whose previous generation stood in, by path, so that the journal is needed from one checkpoint
   *  earlier; the next must write them. The zone list has no key. */
  readonly healed: ReadonlyMap<string, DocumentKey | undefined>
  /** Left over from earlier generations; the next checkpoint removes them. */
  readonly obsoletePaths: readonly string[]
}

/** Most documents of zones are small: they are read by so many. */
const zonesPerRead = 32
/** Reads that are under way. They are taken in order, so that the rows of a zone come in order of creation. */
const readAhead = 8

/** Reads all documents. One that must be there and is not, or that cannot be read in either generation, is
 *  damage. */
export async function loadDocuments(
  place: Place,
  rows: LoadedRows,
  { manifest, onDamage }: { readonly manifest: Manifest; readonly onDamage: OnDamage },
): Promise<LoadedDocuments> {
  const loader = new Loader(place, rows, onDamage)
  for (const collection of manifest.collections) await loader.loadSystem(collection)
  await loader.loadZones()
  if (manifest._lsn > 0) await loader.loadZoneList()
  await loader.findObsolete()
  return loader
}

class Loader implements LoadedDocuments {
  readonly #place: Place
  readonly #rows: LoadedRows
  readonly #onDamage: OnDamage
  readonly #reader: DocumentReader
  readonly #missingZoneIds = new Set<string>()
  readonly shardsByZone = new Map<string, ZoneShards>()
  readonly shardNumbers = new ShardNumbers()
  readonly obsoletePaths: string[] = []
  readonly healed = new Map<string, DocumentKey | undefined>()
  lastLsn = 0

  constructor(place: Place, rows: LoadedRows, onDamage: OnDamage) {
    this.#place = place
    this.#rows = rows
    this.#onDamage = onDamage
    this.#reader = new DocumentReader(place.files)
  }

  get missingZoneIds(): ReadonlySet<string> {
    return this.#missingZoneIds
  }

  async loadSystem(collection: CollectionName): Promise<void> {
    const document = await this.#read<SystemDocument>({ kind: 'system', collection })
    for (const row of document?.rows ?? []) this.#rows.put(collection, row as never)
  }

  async loadZones(): Promise<void> {
    try {
      const read = (zoneIds: readonly string[]) => {
        const keys = zoneIds.map(zoneId => ({ kind: 'zone', zoneId }) as const)
        return this.#readPacked<ZoneDocument>(keys)
      }
      await inOrder(groupsOf(await this.#zoneIds(), zonesPerRead), read, async (documents, ids) => {
        for (const [i, id] of ids.entries()) await this.#takeZone(id, documents[i] ?? null)
      })
    } finally {
      await this.#reader.close()
    }
  }

  async #zoneIds(): Promise<readonly string[]> {
    const root = zonesDirectory(this.#place.directory)
    const zoneIds: string[] = []
    for (const fan of await this.#place.files.list(root))
      zoneIds.push(...zoneIdsOf(await this.#place.files.list(join(root, fan))))
    return zoneIds
  }

  async loadZoneList(): Promise<void> {
    const list = await this.#readAt<ZoneList>(zoneListPath(this.#place.directory), undefined)
    for (const id of list?.ids ?? []) {
      if (this.#rows.get('zones', id) === undefined) this.#missingZoneIds.add(id)
    }
  }

  /** Finds previous generations, which are of use only until the next checkpoint, and whatever a crash kept
   *  from being removed. */
  async findObsolete(): Promise<void> {
    const { files, directory } = this.#place
    await this.#findObsoleteIn(directory)
    await this.#findObsoleteIn(systemDirectory(directory))
    const root = zonesDirectory(directory)
    for (const fan of await files.list(root)) await this.#findObsoleteIn(join(root, fan))
    for (const [zoneId, { shards }] of this.shardsByZone) {
      const numbers = new Set(shards.map(({ number }) => number))
      await this.#findObsoleteIn(shardDirectory(directory, zoneId), numbers)
    }
  }

  async #takeZone(zoneId: string, document: Packed<ZoneDocument> | null): Promise<void> {
    if (document === null) return
    const { zone, recordsets, shards } = document
    this.#rows.put('zones', zone)
    this.#rows.putRecordsets(recordsets)
    if (shards.length > 0) await this.#loadShards(zoneId, shards)
  }

  async #loadShards(zoneId: string, starts: readonly ShardStart[]): Promise<void> {
    const shards = starts.map(start => ({ ...start, isDirty: false }))
    this.shardsByZone.set(zoneId, new ZoneShards(shards))
    const read = ({ number }: ShardStart) =>
      this.#readPacked<ShardDocument>([{ kind: 'shard', zoneId, number }])
    await inOrder(shards, read, ([document], shard) => {
      const { number } = shard
      this.shardNumbers.note(number)
      if (document) this.#rows.putRecordsets(document.recordsets)
      const path = documentPath(this.#place.directory, { kind: 'shard', zoneId, number })
      shard.isDirty = this.healed.has(path)
    })
  }

  #read<T extends Document>(key: DocumentKey): Promise<T | null> {
    return this.#readAt<T>(documentPath(this.#place.directory, key), key)
  }

  async #readAt<T extends Document>(path: string, key: DocumentKey | undefined): Promise<T | null> {
    return this.#judged(await readDocument<T>(this.#place.files, path), path, key)
  }

  async #readPacked<T extends ZoneDocument | ShardDocument>(
    keys: readonly DocumentKey[],
  ): Promise<readonly (Packed<T> | null)[]> {
    const paths = keys.map(key => documentPath(this.#place.directory, key))
    const found = (await this.#reader.read(paths)) as readonly FoundDocument<Packed<T>>[]
    return found.map((each, i) => this.#judged(each, paths[i] as string, keys[i]))
  }

  /** Notes what was found instead of a document, and which it is. */
  #judged<T extends Document>(
    { document, isPrevious, problem }: FoundDocument<T>,
    path: string,
    key: DocumentKey | undefined,
  ): T | null {
    if (document === null) {
      this.#onDamage(path, problem ?? 'it is missing')
      return null
    }
    if (isPrevious) this.healed.set(path, key?.kind === 'shard' ? zoneKeyOf(key) : key)
    this.lastLsn = Math.max(this.lastLsn, document._lsn)
    return document
  }

  async #findObsoleteIn(directory: string, shardNumbers?: ReadonlySet<number>): Promise<void> {
    const inUse = [manifestPath(this.#place.directory), ...this.healed.keys()]
    const kept = new Set(inUse.map(path => path + previousSuffix))
    for (const name of await this.#place.files.list(directory)) {
      const path = join(directory, name)
      const zoneId = parseShardDirectory(name)
      const number = parseShardName(name)
      const isUnused =
        (zoneId !== undefined && !this.shardsByZone.has(zoneId)) ||
        (number !== undefined && shardNumbers?.has(number) === false)
      const isOld = name.endsWith(previousSuffix) || name.endsWith(temporarySuffix)
      if (number !== undefined && shardNumbers !== undefined) this.shardNumbers.note(number)
      if (isUnused || (isOld && !kept.has(path))) this.obsoletePaths.push(path)
    }
  }
}

/** A zone's shards are written with it. */
function zoneKeyOf({ zoneId }: { readonly zoneId: string }): DocumentKey {
  return { kind: 'zone', zoneId }
}

/** The zones that have a document, or at least its previous generation. */
function zoneIdsOf(names: readonly string[]): readonly string[] {
  const ids = names
    .map(name => (name.endsWith(previousSuffix) ? name.slice(0, -previousSuffix.length) : name))
    .map(parseZoneName)
    .filter(zoneId => zoneId !== undefined)
  return [...new Set(ids)]
}

function groupsOf<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  const groups: T[][] = []
  for (let at = 0; at < items.length; at += size) groups.push(items.slice(at, at + size))
  return groups
}

/** Reads some ahead, and takes what comes of it in order. */
async function inOrder<T, R>(
  items: readonly T[],
  read: (item: T) => Promise<R>,
  take: (result: R, item: T) => void | Promise<void>,
): Promise<void> {
  const ahead: Promise<R>[] = []
  for (const [i, item] of items.entries()) {
    while (ahead.length < readAhead && i + ahead.length < items.length) {
      const reading = read(items[i + ahead.length] as T)
      // Heard of in its turn, if one before it has not ended all of this.
      reading.catch(() => undefined)
      ahead.push(reading)
    }
    await take(await (ahead.shift() as Promise<R>), item)
  }
}
