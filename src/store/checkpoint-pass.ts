import { dirname } from 'node:path'
import type { FileSystem } from '../durable/file-system.ts'
import { previousSuffix } from '../durable/replace-file.ts'
import type { CollectionName } from '../model/collections.ts'
import type { Recordset } from '../model/recordset.ts'
import { TimeSlice } from '../time-slice.ts'
import { type Document, writeDocument } from './document.ts'
import {
  type DocumentKey,
  documentPath,
  type ShardDocument,
  shardDirectory,
  systemDocument,
  type ZoneDocument,
} from './layout.ts'
import { type ZoneList, zoneListPath } from './manifest.ts'
import { comparePlaces } from './ordered-rows.ts'
import { planShards, type ShardNumbers } from './shard-plan.ts'
import type { Tables } from './tables.ts'
import type { Shard, ZoneShards } from './zone-shards.ts'

export type PassOptions = {
  readonly files: FileSystem
  readonly directory: string
  readonly tables: Tables
  /** Of the zones that have any. Shared with whoever notes changes: while a zone is being resharded they
   *  already go by the new ones. */
  readonly shardsByZone: Map<string, ZoneShards>
  readonly shardNumbers: ShardNumbers
  readonly rowsPerShard: number
  /** The last change that can be seen in the tables at this instant. */
  readonly visibleLsn: () => number
  /** Whether nobody waits for the checkpoint any more. */
  readonly isStopping: () => boolean
}

/** Ends a pass between two of its steps, because the store is being closed. */
export class CheckpointStopped extends Error {
  override readonly name = 'CheckpointStopped'
}

/** Writes the documents of one checkpoint, pausing so that nobody else waits for it. */
export class CheckpointPass {
  readonly #options: PassOptions
  readonly #directories = new Set<string>()
  readonly #slice = new TimeSlice()
  readonly #writtenShards: Shard[] = []
  /** What the pass replaces: it stays until the next checkpoint and goes then. */
  readonly obsoletePaths: string[] = []
  /** Octets written. */
  octetCount = 0

  constructor(options: PassOptions) {
    this.#options = options
  }

  /** Writes documents; of a zone, with the shards that are dirty. */
  async writeAll(keys: Iterable<DocumentKey>): Promise<void> {
    for (const key of keys) {
      if (key.kind === 'system') await this.#writeSystem(key.collection)
      else await this.#writeZone(key.zoneId)
    }
  }

  async writeZoneList(list: ZoneList): Promise<void> {
    const { directory } = this.#options
    await this.#write(zoneListPath(directory), list)
    // The manifest is in the same directory, and its new name could be durable before this one.
    await this.#options.files.syncDirectory(directory)
  }

  /** Has the names in a directory made durable with those of the documents. */
  noteDirectory(directory: string): void {
    this.#directories.add(directory)
  }

  /** Makes the names of all that was written and removed durable. */
  async syncDirectories(): Promise<void> {
    for (const directory of this.#directories) {
      this.throwIfStopping()
      await this.#options.files.syncDirectory(directory)
    }
  }

  /** To be asked before each step that takes its time. */
  throwIfStopping(): void {
    if (this.#options.isStopping()) throw new CheckpointStopped()
  }

  /** After a failure nothing counts as written: it may not have become durable. */
  takeBack(): void {
    for (const shard of this.#writtenShards) shard.isDirty = true
  }

  async #writeSystem(collection: CollectionName): Promise<void> {
    const { directory, tables } = this.#options
    const path = documentPath(directory, { kind: 'system', collection })
    await this.#write(path, systemDocument(tables, collection, this.#options.visibleLsn()))
  }

  async #writeZone(zoneId: string): Promise<void> {
    const { tables, shardsByZone, shardNumbers: numbers, rowsPerShard } = this.#options
    if (tables.get('zones', zoneId) === undefined) {
      await this.#removeZone(zoneId)
      return
    }
    const current = shardsByZone.get(zoneId)
    const slice = this.#slice
    const planned = await planShards({ tables, zoneId, current, rowsPerShard, numbers, slice })
    if (planned !== current) {
      await this.#reshard(zoneId, { current, planned })
    } else {
      await this.#writeShards(zoneId, planned)
      await this.#writeZoneDocument(zoneId)
    }
  }

  /** Writes the new shards before the zone's document names them. */
  async #reshard(
    zoneId: string,
    { current, planned }: { current: ZoneShards | undefined; planned: ZoneShards | undefined },
  ): Promise<void> {
    const { files, directory } = this.#options
    const shards = shardDirectory(directory, zoneId)
    const before = current?.shards ?? []
    const after = planned?.shards ?? []
    this.#setShards(zoneId, planned)
    try {
      if (planned !== undefined) {
        await this.#writeShards(zoneId, planned)
        await files.syncDirectory(shards)
        await files.syncDirectory(dirname(shards))
      }
      await this.#writeZoneDocument(zoneId)
    } catch (error) {
      this.#setShards(zoneId, current)
      // Changes have been noted with the new shards meanwhile.
      current?.setDirty()
      this.#discardShards(zoneId, { shards: after, kept: before })
      throw error
    }
    if (planned === undefined) this.obsoletePaths.push(shards)
    else this.#discardShards(zoneId, { shards: before, kept: after })
  }

  #setShards(zoneId: string, shards: ZoneShards | undefined): void {
    const { shardsByZone } = this.#options
    if (shards === undefined) shardsByZone.delete(zoneId)
    else shardsByZone.set(zoneId, shards)
  }

  #discardShards(
    zoneId: string,
    { shards, kept }: { readonly shards: readonly Shard[]; readonly kept: readonly Shard[] },
  ): void {
    const keptShards = new Set(kept)
    for (const shard of shards) {
      if (keptShards.has(shard)) continue
      const { number } = shard
      const path = documentPath(this.#options.directory, { kind: 'shard', zoneId, number })
      this.obsoletePaths.push(path, path + previousSuffix)
    }
  }

  async #writeZoneDocument(zoneId: string): Promise<void> {
    const { directory, tables, shardsByZone } = this.#options
    const zone = tables.get('zones', zoneId)
    if (zone === undefined) return
    const shards = shardsByZone.get(zoneId)?.starts ?? []
    const document: ZoneDocument = {
      _lsn: this.#options.visibleLsn(),
      zone,
      shards,
      recordsets: shards.length > 0 ? [] : [...tables.list('recordsets', 'byZone', zoneId)],
    }
    await this.#write(documentPath(directory, { kind: 'zone', zoneId }), document)
  }

  /** Writes the dirty ones. */
  async #writeShards(zoneId: string, shards: ZoneShards | undefined): Promise<void> {
    // The last one first: it is the one that grows, and by the time of the others it could hold very many.
    for (const shard of shards?.shards.toReversed() ?? []) {
      if (!shard.isDirty) continue
      const { number } = shard
      const path = documentPath(this.#options.directory, { kind: 'shard', zoneId, number })
      // What changes from here on is not in what is written.
      shard.isDirty = false
      this.#writtenShards.push(shard)
      await this.#write(path, this.#shardDocument(zoneId, { shard, end: shards?.endOf(shard) }))
    }
  }

  #shardDocument(
    zoneId: string,
    { shard, end }: { readonly shard: Shard; readonly end: ZoneShardEnd },
  ): ShardDocument {
    const options = shard.after === null ? {} : { after: shard.after }
    const recordsets: Recordset[] = []
    for (const row of this.#options.tables.list('recordsets', 'byZone', zoneId, options)) {
      if (end !== undefined && comparePlaces(row, end) > 0) break
      recordsets.push(row)
    }
    return { _lsn: this.#options.visibleLsn(), recordsets }
  }

  /** The shards of a removed zone stay until its document is surely gone: it could not be read without them. */
  async #removeZone(zoneId: string): Promise<void> {
    const { files, directory, shardsByZone } = this.#options
    const path = documentPath(directory, { kind: 'zone', zoneId })
    await files.remove(path)
    await files.remove(path + previousSuffix)
    this.noteDirectory(dirname(path))
    if (shardsByZone.delete(zoneId)) this.obsoletePaths.push(shardDirectory(directory, zoneId))
  }

  async #write(path: string, document: Document): Promise<void> {
    const { files, directory } = this.#options
    this.throwIfStopping()
    this.octetCount += await writeDocument(files, path, document)
    this.obsoletePaths.push(path + previousSuffix)
    // The names on the way from the store's directory to the document are new at its first write.
    for (let at = dirname(path); ; at = dirname(at)) {
      this.#directories.add(at)
      if (at === directory || at === dirname(at)) break
    }
    if (this.#slice.isSpent) await this.#slice.rest()
  }
}

type ZoneShardEnd = ReturnType<ZoneShards['endOf']>
