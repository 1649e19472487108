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
  /** Where its first record is, from 1. */
  readonly line: number
  /** Whether the file says its TTL at all. */
  readonly hasTtl: boolean
}

/** What is known of an RRset of a file beside itself. */
const column = { line: 0, hasTtl: 1, hasMixedTtls: 2, isCounted: 3 } as const
const columns = 4

/** The RRsets of a zone file by their numbers, from 0 on, in the order they begin in it. */
export class FileRrsets {
  readonly #rrsets: PackedRrsets
  readonly #rows = new PackedRows(columns)
  /** The number of the first one of this type. */
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

  /** RRsets at or below the owner of the first SOA; none before there is one. */
  get insideCount(): number {
    return this.#insideCount
  }

  /** Records of those beside SOA and NS of the apex. */
  get keptCount(): number {
    return this.#keptCount
  }

  /** The first SOA of the file, whosever it is. */
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

  /** The same as octets, until the next one is asked for. */
  octetsAt(number: number): RrsetOctets {
    return this.#rrsets.octetsAt(number)
  }

  ttlSecondsOf(number: number): number {
    return this.#rrsets.ttlSecondsOf(number)
  }

  lineAt(number: number): number {
    return this.#rows.get(number, column.line)
  }

  /** Whether it is known to be one of the zone, beside SOA and NS of the apex; not of those in front of the SOA. */
  isCounted(number: number): boolean {
    return this.#rows.get(number, column.isCounted) === 1
  }

  /** Whose RRset it is, in lower case, and of which type. */
  keyAt(number: number): { readonly owner: Name; readonly type: number } {
    return {
      owner: lowerCaseName(this.#rrsets.ownerOf(number)),
      type: this.#rrsets.typeOf(number),
    }
  }

  /** Whether the file says several TTLs of an RRset; it has the lowest. */
  hasMixedTtls(number: number): boolean {
    return this.#rows.get(number, column.hasMixedTtls) === 1
  }

  hasRrset(owner: Name, type: number): boolean {
    return this.#rrsets.find(owner, type) >= 0
  }

  /** Where the RRset of an owner that the file has begins; without a type, the owner's first one. */
  lineOf(owner: Name, type: number | undefined): number {
    const rrsets = this.#rrsets
    const number = type === undefined ? rrsets.firstOf(owner) : rrsets.find(owner, type)
    return this.#rows.get(number, column.line)
  }

  /** Names at or below the apex, which is given in lower case: all of them, or those that a rule is about. */
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

  /** RFC 2181 section 5.2: TTLs that differ within an RRset are an error; the lowest harms least. */
  #lowerTtl(number: number, ttlSeconds: number): void {
    const known = this.hasTtl(number) ? this.#rrsets.ttlSecondsOf(number) : ttlSeconds
    if (known !== ttlSeconds) this.#rows.set(number, column.hasMixedTtls, 1)
    this.#rrsets.setTtlSeconds(number, Math.min(known, ttlSeconds))
    this.#rows.set(number, column.hasTtl, 1)
  }

  /** Whether the file says a TTL of the RRset. */
  hasTtl(number: number): boolean {
    return this.#rows.get(number, column.hasTtl) === 1
  }
}

/** The apex is given in lower case; most names are. */
function isInside(owner: Name, apexKey: Name): boolean {
  return isAtOrBelow(owner, apexKey) || isAtOrBelow(lowerCaseName(owner), apexKey)
}
