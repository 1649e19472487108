import { type PackedRecordset, recordsetUnpacker } from '../model/packed-recordset.ts'
import type { Recordset } from '../model/recordset.ts'
import { type DocumentKey, keyText } from './layout.ts'
import type { Change } from './store.ts'
import type { Shard, ZoneShards } from './zone-shards.ts'

/** Documents that a checkpoint is to write. */
export type DocumentsToWrite = {
  readonly keys: readonly DocumentKey[]
  /** Whether the list of zones is one of them. */
  readonly haveZonesChanged: boolean
}

/** Which documents are behind the rows. Of a commit it keeps nothing but that. */
export class DirtyDocuments {
  readonly #shardsByZone: ReadonlyMap<string, ZoneShards>
  #keys = new Map<string, DocumentKey>()
  #haveZonesChanged = false
  /** The zone that was last noted; undefined once it may not be among the keys. */
  #lastZoneId: string | undefined

  constructor(shardsByZone: ReadonlyMap<string, ZoneShards>) {
    this.#shardsByZone = shardsByZone
  }

  /** Documents but for the list of zones, which alone is not worth a checkpoint: it is only missed together with a
   *  zone's document. */
  get size(): number {
    return this.#keys.size
  }

  /** Notes what changes make stale. */
  note(changes: readonly Change[]): void {
    for (const change of changes) this.#noteChange(change)
  }

  add(key: DocumentKey): void {
    this.#keys.set(keyText(key), key)
  }

  addZoneList(): void {
    this.#haveZonesChanged = true
  }

  /** Returns all, and is empty then. */
  take(): DocumentsToWrite {
    const taken = { keys: [...this.#keys.values()], haveZonesChanged: this.#haveZonesChanged }
    this.#keys = new Map()
    this.#lastZoneId = undefined
    this.#haveZonesChanged = false
    return taken
  }

  /** Takes back what was not written after all. */
  putBack({ keys, haveZonesChanged }: DocumentsToWrite): void {
    for (const key of keys) this.add(key)
    this.#haveZonesChanged ||= haveZonesChanged
  }

  #noteChange(change: Change): void {
    if (change.packed !== undefined) {
      this.#notePacked(change.packed)
      return
    }
    const { collection, id, before, after } = change
    if (collection === 'zones') {
      if (before === undefined || after === undefined) this.#haveZonesChanged = true
      this.add({ kind: 'zone', zoneId: id })
    } else if (collection === 'recordsets') {
      if (before !== undefined) this.#noteRecordset(before)
      if (after !== undefined) this.#noteRecordset(after)
    } else {
      this.add({ kind: 'system', collection })
    }
  }

  #notePacked(record: PackedRecordset): void {
    const zoneId = recordsetUnpacker.zoneIdOf(record)
    const shards = this.#shardsByZone.get(zoneId)
    this.#note(zoneId, shards?.shardOf(recordsetUnpacker.placeOf(record)))
  }

  #noteRecordset(row: Recordset): void {
    const { zoneId } = row
    this.#note(zoneId, this.#shardsByZone.get(zoneId)?.shardOf(row))
  }

  #note(zoneId: string, shard: Shard | undefined): void {
    if (shard !== undefined) shard.isDirty = true
    // A commit of many record sets is nearly always of one zone.
    if (this.#lastZoneId === zoneId) return
    this.add({ kind: 'zone', zoneId })
    this.#lastZoneId = zoneId
  }
}
