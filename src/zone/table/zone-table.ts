import { types } from '../../dns/codes.ts'
import type { OwnedRrset } from '../rrset.ts'
import { octetsOfRrset } from '../rrset-octets.ts'
import { soaNumbers } from '../soa.ts'
import { Compaction } from './compaction.ts'
import { maxZones } from './counters.ts'
import { header, maxWords, targetWords, zone, zoneWords } from './layout.ts'
import { reserveMemory, TableMemory } from './memory.ts'
import { Readers, type Target } from './readers.ts'
import { blockOctets } from './rrset-block.ts'
import type { TableState } from './table-state.ts'
import { TableWriter } from './table-writer.ts'
import { TableZone } from './table-zone.ts'
import { TargetZones } from './target-zones.ts'
import type { WrittenPages } from './written-pages.ts'
import { addApex } from './zone-nodes.ts'
import { type Remaining, ZoneReclaim } from './zone-reclaim.ts'
import type { ZoneVersion } from './zone-version.ts'

export type ZoneTableOptions = {
  /** 32 random bits at each call: the secret that keeps tenants from choosing names that meet in the index. */
  readonly randomWord: () => number
  /** Address space; only the memory that is used is taken. 8 GiB unless given, or what is available. */
  readonly reserveOctets?: number
}

/** The zones of all targets in shared memory: one writer, which is the thread that made the table, and any
 *  number of readers in other threads that never wait for it, nor it for them. */
export class ZoneTable {
  readonly readers: Readers
  /** Called with a zone number (`TableZone.number`) whose zone is gone and whose counters no reader writes any more, before
   *  another zone gets it. Must not throw. */
  onZoneNumberFreed: ((zoneNumber: number) => void) | undefined
  /** Called with the zone number of a new zone. Must not throw. */
  onZoneNumberTaken: ((zoneNumber: number) => void) | undefined
  readonly #writer: TableWriter
  readonly #reclaim: ZoneReclaim
  readonly #compaction: Compaction
  readonly #freeZoneNumbers: number[] = []
  /** By zone number, 0 for none that is more than remains. */
  readonly #zones: number[] = []

  private constructor(memory: TableMemory, state?: TableState) {
    this.#writer = new TableWriter(memory, state)
    this.#reclaim = new ZoneReclaim(this.#writer, zoneNumber => {
      this.onZoneNumberFreed?.(zoneNumber)
      this.#freeZoneNumbers.push(zoneNumber)
    })
    this.#compaction = new Compaction(this.#writer, zoneNumber => this.#zones[zoneNumber])
    this.readers = new Readers(memory)
    if (state !== undefined) this.#restore(state)
  }

  /** @throws RangeError there is hardly any address space. */
  static create({ randomWord, reserveOctets = maxWords * 4 }: ZoneTableOptions): ZoneTable {
    const memory = new TableMemory(reserveMemory(reserveOctets))
    const { words } = memory
    words[header.hashFactor] = randomWord() | 1
    words[header.hashStart] = randomWord()
    for (let octet = 0; octet < 256; octet += 1) words[header.hashValues + octet] = randomWord()
    const table = new ZoneTable(memory)
    table.written.markAll()
    return table
  }

  /** Restores a table that another process left. `memory` (`reserveMemory`) begins with the contents of that table's
   *  pages and has no reader yet. Zones that no target serves are dropped. */
  static restore(memory: SharedArrayBuffer, state: TableState): ZoneTable {
    return new ZoneTable(new TableMemory(memory), state)
  }

  /** The memory of the zones, for questions to the system about it. */
  get memory(): SharedArrayBuffer {
    return this.#writer.store.memory.buffer
  }

  /** The pages that have changed since they were copied. */
  get written(): WrittenPages {
    return this.#writer.store.written
  }

  /** The state that another process needs beside the memory, of the same moment, to restore the table. */
  get state(): TableState {
    const { slabs, epochs } = this.#writer.store
    return {
      pages: slabs.state,
      retired: epochs.retired,
      zones: Int32Array.from(this.#zones),
      withdrawn: Int32Array.from(this.#reclaim.zones),
    }
  }

  get usage(): TableUsage {
    const { memory, slabs } = this.#writer.store
    const { usedOctets, pageOctets, touchedOctets } = slabs
    return { usedOctets, pageOctets, touchedOctets, reservedOctets: memory.buffer.byteLength }
  }

  /** Adds a target, without zones. Targets are few and permanent. */
  addTarget(): TargetZones {
    const { store } = this.#writer
    store.requireRoom(targetWords * 4)
    return this.target(this.#zeroed(targetWords))
  }

  /** An existing target. */
  target(ref: number): TargetZones {
    return new TargetZones(this.#writer, ref, released => this.#giveUp(released))
  }

  /** Starts a zone with nothing but its SOA, whose owner is the apex. No target serves it yet.
   *  @throws RangeError `soa` is not one SOA record, there are too many zones, or the table is full. */
  createZone(soa: OwnedRrset): TableZone {
    if (soa.type !== types.SOA) throw new RangeError('a zone starts with its SOA')
    soaNumbers(soa)
    const { store, reader } = this.#writer
    const rrset = octetsOfRrset(soa.owner, soa)
    store.requireRoom(blockOctets(rrset))
    const ref = this.#zeroed(zoneWords)
    store.words[ref + zone.number] = this.#takeZoneNumber(ref)
    store.words[ref + zone.rrsetCount] = 1
    reader.key.readName(soa.owner)
    addApex(this.#writer, ref, rrset)
    return new TableZone(this.#writer, ref)
  }

  /** All zones, staged ones and those of all targets. Zones may come and go during the walk: a new zone may or may not
   *  be yielded, one that stays is yielded once. */
  *zones(): Generator<TableZone> {
    for (let zoneNumber = 0; zoneNumber < this.#zones.length; zoneNumber += 1) {
      const ref = this.#zones[zoneNumber] ?? 0
      if (ref !== 0) yield new TableZone(this.#writer, ref)
    }
  }

  /** Discards a zone that no target serves. */
  discard({ ref }: TableZone): void {
    if (this.#writer.store.words[ref + zone.publishCount] === 0) this.#giveUp(ref)
  }

  /** Begins to list the contents of a zone, for threads of the target to read.
   *  @throws RangeError there are too many readers. */
  openVersion({ ref }: TableZone, target: Target): ZoneVersion {
    return this.#writer.versions.open(ref, this.readers.open(target))
  }

  /** All zone numbers that zones have or had are below this one. */
  get zoneNumberCount(): number {
    return this.#zones.length
  }

  /** The zone with a zone number, served or not; undefined where there is none, or only remains of one. */
  zoneAt(zoneNumber: number): TableZone | undefined {
    const ref = this.#zones[zoneNumber] ?? 0
    return ref === 0 ? undefined : new TableZone(this.#writer, ref)
  }

  /** Reclaims a little memory: takes withdrawn zones apart, then compacts sparse pages. Looks at no more than so many
   *  names. */
  reclaim(nameCount: number): Remaining {
    const remaining = this.#reclaim.reclaim(nameCount)
    if (remaining !== 'nothing') return remaining
    this.#writer.store.epochs.reclaim()
    // Blocks that versions list cannot move, so compaction would free no memory.
    if (this.#writer.versions.count > 0) return 'nothing'
    return this.#compaction.step(nameCount) ? 'more' : 'nothing'
  }

  #restore({ zones, withdrawn }: TableState): void {
    const { words } = this.#writer.store
    for (const ref of zones) this.#zones.push(ref)
    const numbersInUse = new Set(withdrawn.map(ref => words[ref + zone.number] as number))
    for (const ref of withdrawn) this.#reclaim.add(ref)
    for (const [zoneNumber, ref] of this.#zones.entries()) {
      if (ref === 0 && !numbersInUse.has(zoneNumber)) this.#freeZoneNumbers.push(zoneNumber)
      if (ref !== 0 && words[ref + zone.publishCount] === 0) this.#giveUp(ref)
    }
  }

  #giveUp(ref: number): void {
    this.#writer.walks.leaveZone(ref)
    this.#zones[this.#writer.store.words[ref + zone.number] as number] = 0
    this.#reclaim.add(ref)
  }

  #zeroed(wordCount: number): number {
    const { store } = this.#writer
    const ref = store.allocate(wordCount)
    store.words.fill(0, ref, ref + wordCount)
    return ref
  }

  #takeZoneNumber(ref: number): number {
    const zoneNumber = this.#freeZoneNumbers.pop() ?? this.#zones.length
    if (zoneNumber === maxZones) throw new RangeError(`a table has at most ${maxZones} zones`)
    this.#zones[zoneNumber] = ref
    this.onZoneNumberTaken?.(zoneNumber)
    return zoneNumber
  }
}

export type TableUsage = {
  /** Of the blocks in use. */
  readonly usedOctets: number
  /** Of the pages those are in. */
  readonly pageOctets: number
  /** Of all pages that were ever in use. */
  readonly touchedOctets: number
  readonly reservedOctets: number
}
