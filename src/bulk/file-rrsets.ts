import { types } from '../dns/codes.ts'
import { isAtOrBelow, lowerCaseName, type Name } from '../dns/name.ts'
import type { RrsetOctets } from '../dns/rrset-octets.ts'
import type { NameContents } from '../zone/check.ts'
import { isRuled } from '../zone/check-name.ts'
import { PackedRows } from '../zone/packed-rows.ts'
import { PackedRrsets } from '../zone/packed-rrsets.ts'
import type { OwnedRrset } from '../zone/rrset.ts'
import type { ZoneFileRecord } from '../zone/zone-file/parse.ts'

/** An RRset of a zone file. */
export type FileRrset = OwnedRrset & {
  /** The line of its first record, from 1. */
  readonly line: number
  /** Whether the file gives a TTL for it. */
  readonly hasTtl: boolean
}

/** Columns of additional data about each RRset of a file. */
const column = { line: 0, hasTtl: 1, hasMixedTtls: 2, isCounted: 3 } as const
const columns = 4

/** The RRsets of a zone file, numbered from 0 in the order in which they begin in the file. */
export class FileRrsets {
  readonly #rrsets: PackedRrsets
  readonly #rows = new PackedRows(columns)
  /** The number of the first SOA. */
  #soa: number | undefined
  #apexKey: Name | undefined
  #insideCount = 0
  #keptCount = 0

  /** `hashSeed` as of `PackedRrsets`. */
  constructor(hashSeed: number) {
    this.#rrsets = new PackedRrsets(hashSeed)
  }

  get count(): number {
    return this.#rrsets.count
  }

  /** The number of RRsets at or below the owner of the first SOA; 0 before the SOA. */
  get insideCount(): number {
    return this.#insideCount
  }

  /** The number of records of these RRsets, except SOA and NS of the apex. */
  get keptCount(): number {
    return this.#keptCount
  }

  /** The first SOA of the file, regardless of its owner. */
  get soa(): FileRrset | undefined {
    return this.#soa === undefined ? undefined : this.at(this.#soa)
  }

  add(record: ZoneFileRecord): void {
    const { owner, type, ttlSeconds, rdata } = record
    const found = this.#rrsets.find(owner, type)
    const number = found < 0 ? this.#begin(record) : found
    if (ttlSeconds !== undefined) this.#lowerTtl(number, ttlSeconds)
    const isNew = this.#rrsets.addRecord(number, rdata)
    if (isNew && this.isCounted(number)) this.#keptCount += 1
  }

  at(number: number): FileRrset {
    return {
      ...this.#rrsets.at(number),
      line: this.#rows.get(number, column.line),
      hasTtl: this.hasTtl(number),
    }
  }

  /** The same as octets, valid until the next call. */
  octetsAt(number: number): RrsetOctets {
    return this.#rrsets.octetsAt(number)
  }

  ttlSecondsOf(number: number): number {
    return this.#rrsets.ttlSecondsOf(number)
  }

  lineAt(number: number): number {
    return this.#rows.get(number, column.line)
  }

  /** Whether an RRset is known to be in the zone, other than SOA and NS of the apex; false for those before the SOA. */
  isCounted(number: number): boolean {
    return this.#rows.get(number, column.isCounted) === 1
  }

  /** The owner of an RRset, in lower case, and its type. */
  keyAt(number: number): { readonly owner: Name; readonly type: number } {
    return {
      owner: lowerCaseName(this.#rrsets.ownerOf(number)),
      type: this.#rrsets.typeOf(number),
    }
  }

  /** Whether the file gives several TTLs for an RRset; the lowest is used. */
  hasMixedTtls(number: number): boolean {
    return this.#rows.get(number, column.hasMixedTtls) === 1
  }

  hasRrset(owner: Name, type: number): boolean {
    return this.#rrsets.find(owner, type) >= 0
  }

  /** The line at which an owner's RRset begins; without a type, the owner's first RRset. The file must have it. */
  lineOf(owner: Name, type: number | undefined): number {
    const rrsets = this.#rrsets
    const number = type === undefined ? rrsets.firstOf(owner) : rrsets.find(owner, type)
    return this.#rows.get(number, column.line)
  }

  /** Names at or below the apex, which is given in lower case: all, or those that a rule covers. */
  *namesOf(apexKey: Name, which: 'all' | 'ruled'): Generator<NameContents> {
    for (const name of this.#rrsets.names(which === 'all' ? undefined : isRuled)) {
      if (isAtOrBelow(name.key, apexKey)) yield name
    }
  }

  #begin({ line, owner, type }: ZoneFileRecord): number {
    const number = this.#rrsets.add(owner, type, 0)
    this.#rows.add()
    this.#rows.set(number, column.line, line)
    if (type === types.SOA && this.#soa === undefined) {
      this.#soa = number
      this.#apexKey = lowerCaseName(owner)
    }
    if (this.#apexKey === undefined || !isInside(owner, this.#apexKey)) return number
    this.#insideCount += 1
    const isOfServer = type === types.SOA || type === types.NS
    if (!isOfServer || owner.length !== this.#apexKey.length) {
      this.#rows.set(number, column.isCounted, 1)
    }
    return number
  }

  /** RFC 2181 section 5.2: different TTLs within an RRset are an error; the lowest does the least harm. */
  #lowerTtl(number: number, ttlSeconds: number): void {
    const known = this.hasTtl(number) ? this.#rrsets.ttlSecondsOf(number) : ttlSeconds
    if (known !== ttlSeconds) this.#rows.set(number, column.hasMixedTtls, 1)
    this.#rrsets.setTtlSeconds(number, Math.min(known, ttlSeconds))
    this.#rows.set(number, column.hasTtl, 1)
  }

  /** Whether the file gives a TTL for the RRset. */
  hasTtl(number: number): boolean {
    return this.#rows.get(number, column.hasTtl) === 1
  }
}

/** Takes the apex in lower case, as most names are. */
function isInside(owner: Name, apexKey: Name): boolean {
  return isAtOrBelow(owner, apexKey) || isAtOrBelow(lowerCaseName(owner), apexKey)
}
