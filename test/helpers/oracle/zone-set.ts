import { lowerCaseName, type Name, parentName } from '../../../src/dns/name.ts'
import type { ListedZone } from './listed-zone.ts'
import type { ServedZones } from './served-zone.ts'

/** All zones of one target, by apex. Publishing and withdrawing are single steps between two queries. */
export class ZoneSet implements ServedZones, Iterable<ListedZone> {
  readonly #zoneByApex = new Map<Name, ListedZone>()

  /** Adds the zone or replaces the one with its apex. */
  publish(zone: ListedZone): void {
    this.#zoneByApex.set(zone.apex, zone)
  }

  /** Returns whether there was such a zone. */
  withdraw(apex: Name): boolean {
    return this.#zoneByApex.delete(lowerCaseName(apex))
  }

  /** Returns the zone with exactly this apex. */
  get(apex: Name): ListedZone | undefined {
    return this.#zoneByApex.get(lowerCaseName(apex))
  }

  /** Returns the zone with the longest apex that `qname` is at or below. O(labels). */
  find(qname: Name): ListedZone | undefined {
    for (let name = qname; ; name = parentName(name)) {
      const zone = this.#zoneByApex.get(name)
      if (zone !== undefined || name.length === 1) return zone
    }
  }

  [Symbol.iterator](): IterableIterator<ListedZone> {
    return this.#zoneByApex.values()
  }
}
