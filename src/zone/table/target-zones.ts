import { lowerCaseName, type Name } from '../../dns/name.ts'
import {
  entriesFrom,
  labelCountOf,
  linkEntry,
  retireEntry,
  unlinkEntry,
  writeEntry,
} from './entries.ts'
import { entry, target as targetBlock, zone as zoneBlock } from './layout.ts'
import type { TableWriter } from './table-writer.ts'
import { TableZone } from './table-zone.ts'

/** Called when a target no longer serves a zone. */
export type ZoneRelease = (zone: number) => void

/** All zones of one target, as the table's writing thread sees them. Publishing or withdrawing a zone of any size is a
 *  single step between two queries. A zone can be in several targets. */
export class TargetZones implements Iterable<TableZone> {
  /** `target` in a handle (`ZoneTableHandle`). */
  readonly ref: number
  readonly #writer: TableWriter
  readonly #release: ZoneRelease

  constructor(writer: TableWriter, ref: number, release: ZoneRelease) {
    this.#writer = writer
    this.ref = ref
    this.#release = release
  }

  get size(): number {
    return this.#words[this.ref + targetBlock.zoneCount] as number
  }

  /** Adds the zone or replaces the one with its apex. */
  publish(zone: TableZone): void {
    const { store } = this.#writer
    store.requireRoom(0)
    const present = this.#findEntry(zone.apex)
    if (present === 0) this.#addEntry(zone.ref)
    else {
      const replaced = this.#words[present + entry.zone] as number
      if (replaced === zone.ref) return
      store.publish(present + entry.zone, zone.ref)
      this.#unpublished(replaced)
    }
    this.#writer.add(zone.ref + zoneBlock.publishCount, 1)
  }

  /** Returns whether there was such a zone. */
  withdraw(apex: Name): boolean {
    const present = this.#findEntry(apex)
    if (present === 0) return false
    const { store, index, reader } = this.#writer
    const words = this.#words
    const zone = words[present + entry.zone] as number
    index.remove(reader.key.hashFrom(0), this.ref, present)
    this.#writer.add(this.ref + targetBlock.apexCounts + labelCountOf(words, present), -1)
    this.#writer.add(this.ref + targetBlock.zoneCount, -1)
    const next = unlinkEntry(store, present)
    if (words[this.ref + targetBlock.anyApex] === present) {
      store.write(this.ref + targetBlock.anyApex, next)
    }
    retireEntry(store, present)
    this.#unpublished(zone)
    return true
  }

  /** Returns the zone with exactly this apex. */
  get(apex: Name): TableZone | undefined {
    const present = this.#findEntry(apex)
    if (present === 0) return undefined
    return new TableZone(this.#writer, this.#words[present + entry.zone] as number)
  }

  /** In no promised order. No zone may come or go before the last one. */
  *[Symbol.iterator](): Generator<TableZone> {
    const words = this.#words
    for (const at of entriesFrom(words, words[this.ref + targetBlock.anyApex] as number)) {
      yield new TableZone(this.#writer, words[at + entry.zone] as number)
    }
  }

  get #words(): Int32Array {
    return this.#writer.store.words
  }

  #findEntry(apex: Name): number {
    const { key, lookup } = this.#writer.reader
    key.readName(lowerCaseName(apex))
    return lookup.findNode(this.ref, key)
  }

  /** Adds the entry of the key's name. */
  #addEntry(zone: number): void {
    const { store, index, reader } = this.#writer
    const words = this.#words
    const added = writeEntry(store, { key: reader.key, label: 0, above: this.ref, isTop: true })
    words[added + entry.zone] = zone
    const other = words[this.ref + targetBlock.anyApex] as number
    if (other === 0) store.write(this.ref + targetBlock.anyApex, added)
    else linkEntry(store, added, other)
    this.#writer.add(this.ref + targetBlock.apexCounts + reader.key.labelCount, 1)
    this.#writer.add(this.ref + targetBlock.zoneCount, 1)
    index.add(reader.key.hashFrom(0), this.ref, added)
  }

  #unpublished(zone: number): void {
    this.#writer.add(zone + zoneBlock.publishCount, -1)
    if (this.#words[zone + zoneBlock.publishCount] === 0) this.#release(zone)
  }
}
