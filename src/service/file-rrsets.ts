import { types } from '../dns/codes.ts'
import { isAtOrBelow, lowerCaseName, type Name } from '../dns/name.ts'
import type { NameContents } from '../zone/check.ts'
import { PackedRows } from '../zone/packed-rows.ts'
import { PackedRrsets } from '../zone/packed-rrsets.ts'
import type { OwnedRrset } from '../zone/rrset.ts'
import type { ZoneFileRecord } from '../zone/zone-file/parse.ts'

/** An RRset of a master file. */
export type FileRrset = OwnedRrset & {
  /** Where its first record is, from 1. */
  readonly line: number
  /** Whether the file says its TTL at all. */
  readonly hasTtl: boolean
}

/** What is known of an RRset of a file beside itself. */
const column = { line: 0, hasTtl: 1, hasMixedTtls: 2 } as const
const columns = 3

/** The RRsets of a master file by their numbers, from 0 on, in the order they begin in it. */
export class FileRrsets {
  readonly #rrsets: PackedRrsets
  readonly #rows = new PackedRows(columns)
  /** The number of the first one of this type. */
  #soa: number | undefined
  #apexKey: Name | undefined
  #insideCount = 0

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

  /** The first SOA of the file, whosever it is. */
  get soa(): FileRrset | undefined {
    return this.#soa === undefined ? undefined : this.at(this.#soa)
  }

  add(record: ZoneFileRecord): void {
    const { owner, type, ttlSeconds, rdata } = record
    const found = this.#rrsets.find(owner, type)
    const number = found < 0 ? this.#begin(record) : found
    if (ttlSeconds !== undefined) this.#lowerTtl(number, ttlSeconds)
    this.#rrsets.addRecord(number, rdata)
  }

  at(number: number): FileRrset {
    return {
      ...this.#rrsets.at(number),
      line: this.#rows.get(number, column.line),
      hasTtl: this.#hasTtl(number),
    }
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

  /** Where the RRset of an owner that the file has begins; without a type, the owner's first one. */
  lineOf(owner: Name, type: number | undefined): number {
    const rrsets = this.#rrsets
    const number = type === undefined ? rrsets.firstOf(owner) : rrsets.find(owner, type)
    return this.#rows.get(number, column.line)
  }

  /** All names at or below the apex, which is given in lower case; undefined where there is another one. */
  *namesOf(apexKey: Name): Generator<NameContents | undefined> {
    for (const name of this.#rrsets.names()) {
      yield isAtOrBelow(name.key, apexKey) ? name : undefined
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
    if (this.#apexKey !== undefined && isAtOrBelow(lowerCaseName(owner), this.#apexKey)) {
      this.#insideCount += 1
    }
    return number
  }

  /** RFC 2181 section 5.2: TTLs that differ within an RRset are an error; the lowest harms least. */
  #lowerTtl(number: number, ttlSeconds: number): void {
    const known = this.#hasTtl(number) ? this.#rrsets.ttlSecondsOf(number) : ttlSeconds
    if (known !== ttlSeconds) this.#rows.set(number, column.hasMixedTtls, 1)
    this.#rrsets.setTtlSeconds(number, Math.min(known, ttlSeconds))
    this.#rows.set(number, column.hasTtl, 1)
  }

  #hasTtl(number: number): boolean {
    return this.#rows.get(number, column.hasTtl) === 1
  }
}
