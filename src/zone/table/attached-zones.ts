import type { Name } from '../../dns/name.ts'
import type { ServedZones } from '../lookup.ts'
import type { TableReader } from './zone-view.ts'
import { ZoneView } from './zone-view.ts'

/** The zones of one target as a reading thread sees them, in the form that the general answering code knows. */
export class AttachedZones implements ServedZones {
  readonly #reader: TableReader
  readonly #target: number

  constructor(reader: TableReader, target: number) {
    this.#reader = reader
    this.#target = target
  }

  find(qname: Name): ZoneView | undefined {
    const { key, lookup } = this.#reader
    key.readName(qname)
    const zone = lookup.findZone(this.#target, key)
    return zone === 0 ? undefined : new ZoneView(this.#reader, zone)
  }
}
