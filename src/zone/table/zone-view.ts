import { types } from '../../dns/codes.ts'
import type { Name } from '../../dns/name.ts'
import type { Lookup, ServedZone } from '../lookup.ts'
import type { OwnedRrset, Rrset } from '../rrset.ts'
import { negativeSoa } from '../soa.ts'
import { givenNameOf, nameOfEntry } from './entries.ts'
import { entry, zone } from './layout.ts'
import type { TableMemory } from './memory.ts'
import { NameKey } from './name-key.ts'
import { findRrset, readRrset } from './rrset-block.ts'
import { found, TableLookup } from './table-lookup.ts'

/** What reading a table takes; each thread has its own. */
export class TableReader {
  readonly memory: TableMemory
  readonly lookup: TableLookup
  readonly key: NameKey

  constructor(memory: TableMemory) {
    this.memory = memory
    this.lookup = new TableLookup(memory)
    this.key = new NameKey(memory)
  }
}

/** A zone of the table in the form that the general answering code knows: each answer is made of objects of
 *  its own. Valid as long as the batch in which it was found. */
export class ZoneView implements ServedZone {
  readonly ref: number
  protected readonly reader: TableReader

  constructor(reader: TableReader, ref: number) {
    this.reader = reader
    this.ref = ref
  }

  get apex(): Name {
    return nameOfEntry(this.reader.memory, this.apexNode)
  }

  get isExpired(): boolean {
    return this.word(zone.isExpired) !== 0
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

  protected get apexNode(): number {
    return this.word(zone.apex)
  }

  protected word(field: number): number {
    return this.reader.memory.words[this.ref + field] as number
  }

  protected read(rrset: number): Rrset {
    return readRrset(this.reader.memory, rrset)
  }

  #owned(node: number, rrset: number): OwnedRrset {
    return { ...this.read(rrset), owner: givenNameOf(this.reader.memory, node) }
  }

  #negativeSoa(): OwnedRrset {
    return negativeSoa(this.#owned(this.apexNode, this.reader.lookup.findSoa(this.ref)))
  }
}
