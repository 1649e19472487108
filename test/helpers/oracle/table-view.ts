import { types } from '../../../src/dns/codes.ts'
import type { Name } from '../../../src/dns/name.ts'
import type { OwnedRrset, Rrset } from '../../../src/zone/rrset.ts'
import { givenNameOf, nameOfEntry } from '../../../src/zone/table/entries.ts'
import { entry, zone, zoneStates } from '../../../src/zone/table/layout.ts'
import { TableMemory } from '../../../src/zone/table/memory.ts'
import { findRrset, readRrset } from '../../../src/zone/table/rrset-block.ts'
import { found } from '../../../src/zone/table/table-lookup.ts'
import { TableReader } from '../../../src/zone/table/table-reader.ts'
import type { TableZone } from '../../../src/zone/table/table-zone.ts'
import type { TargetZones } from '../../../src/zone/table/target-zones.ts'
import type { ZoneTable } from '../../../src/zone/table/zone-table.ts'
import { negativeSoa } from './negative-soa.ts'
import type { Lookup, ServedZone, ServedZones } from './served-zone.ts'

/** A zone of the table in the form that the general answering code knows: each answer is made of objects of
 *  its own. Valid as long as the batch in which it was found. */
export class ZoneView implements ServedZone {
  readonly ref: number
  readonly reader: TableReader

  constructor(reader: TableReader, ref: number) {
    this.reader = reader
    this.ref = ref
  }

  get apex(): Name {
    return nameOfEntry(this.reader.memory, this.apexNode)
  }

  get isExpired(): boolean {
    return (this.word(zone.states) & zoneStates.isExpired) !== 0
  }

  lookup(qname: Name, qtype: number): Lookup {
    const { key, lookup } = this.reader
    key.readName(qname)
    if (!lookup.isInZone(this.ref, key)) throw new RangeError('the name is outside the zone')
    lookup.lookUp(this.ref, key, qtype)
    const { kind, rrset, owner } = lookup
    switch (kind) {
      case found.hit:
        return { kind: 'hit', rrset: this.read(rrset) }
      case found.cname:
        return { kind: 'cname', rrset: this.read(rrset) }
      case found.dname:
        return { kind: 'dname', dname: this.#owned(owner, rrset) }
      case found.referral:
        return { kind: 'referral', ns: this.#owned(owner, rrset) }
      case found.nodata:
        return { kind: 'nodata', soa: this.#negativeSoa() }
      default:
        return { kind: 'nxdomain', soa: this.#negativeSoa() }
    }
  }

  findAddresses(name: Name): readonly Rrset[] {
    const { key, lookup, memory } = this.reader
    key.readName(name)
    const node = lookup.findAddressNode(this.ref, key)
    if (node === 0) return []
    const data = memory.words[node + entry.data] as number
    return [types.A, types.AAAA]
      .map(type => findRrset(memory.words, data, type))
      .filter(rrset => rrset !== 0)
      .map(rrset => this.read(rrset))
  }

  get apexNode(): number {
    return this.word(zone.apex)
  }

  word(field: number): number {
    return this.reader.memory.words[this.ref + field] as number
  }

  read(rrset: number): Rrset {
    return readRrset(this.reader.memory, rrset)
  }

  #owned(node: number, rrset: number): OwnedRrset {
    return { ...this.read(rrset), owner: givenNameOf(this.reader.memory, node) }
  }

  #negativeSoa(): OwnedRrset {
    return negativeSoa(this.#owned(this.apexNode, this.reader.lookup.findSoa(this.ref)))
  }
}

/** A zone of the writer, as a reader sees it. */
export function viewOf(table: ZoneTable, { ref }: TableZone): ZoneView {
  return new ZoneView(new TableReader(new TableMemory(table.memory)), ref)
}

/** The zones of one target as a reader sees them. */
export class TargetView implements ServedZones {
  readonly #reader: TableReader
  readonly #target: number

  constructor(memory: SharedArrayBuffer, target: number) {
    this.#reader = new TableReader(new TableMemory(memory))
    this.#target = target
  }

  find(qname: Name): ZoneView | undefined {
    const { key, lookup } = this.#reader
    key.readName(qname)
    const zone = lookup.findZone(this.#target, key)
    return zone === 0 ? undefined : new ZoneView(this.#reader, zone)
  }
}

/** The writer's zones of a target. */
export function zonesOf(table: ZoneTable, { ref }: TargetZones): TargetView {
  return new TargetView(table.memory, ref)
}
