import { FormatError } from '../dns/format-error.ts'
import { type Name, parseName } from '../dns/name.ts'
import { formatRdata, typeCode, typeMnemonic } from '../dns/rdata/index.ts'
import { type RrsetOctets, rdataLengthOctets } from '../dns/rrset-octets.ts'
import { ownerNameText } from './owner-name.ts'
import {
  packedFlags as flags,
  type PackedRecordset,
  packedPlaces,
  putTime,
  recordCountShift,
} from './packed-recordset.ts'
import { currentType } from './record-type.ts'
import { rdatasOf } from './record-values.ts'
import type { Recordset } from './recordset.ts'
import { writeUuid } from './uuid-words.ts'

const maxVarint = 2 ** 31 - 1
const maxVarintOctets = 5
const maxRecords = 0xffff
/** Times, ids, version, TTL and the padding of the last word. */
const headOctets = 4 * (packedPlaces.end + 2) + 2 * maxVarintOctets + 4
/** The number of members of a row that can be packed. */
const memberCount = 11

/** The fields of a new recordset other than its RRset. */
export type NewRecordset = {
  readonly isManaged: boolean
  /** Null: the zone's TTL, regardless of the RRset's. */
  readonly ttlSeconds: number | null
}

/** A recordset as octets, and those of its texts that cannot be derived from them. */
type Wire = {
  readonly type: number
  readonly owner: Name
  readonly rdatas: readonly Uint8Array[]
  readonly bits: number
  readonly texts: readonly string[]
}

/** The fields of a recordset that are packed before its owner, other than ids and creation time. */
type Head = Pick<Recordset, 'version' | 'updatedAt' | 'ttlSeconds' | 'isManaged'>

/** Packs recordsets, one at a time, into its own memory. */
export class RecordsetPacker {
  /** The last packed recordset. */
  words = new Uint32Array(256)
  wordCount = 0
  #octets = Buffer.from(this.words.buffer)
  /** The position of the next octet to write. */
  #at = 0

  /** The last packed recordset, valid until the next is packed. */
  get packed(): PackedRecordset & { readonly wordCount: number } {
    return { words: this.words, octets: this.#octets, at: 0, wordCount: this.wordCount }
  }

  /** Packs the type by its current name: a row of an earlier version may have `TYPE42` for a type that has a name now. */
  pack(given: Recordset): void {
    const type = currentType(given.type)
    const row = type === given.type ? given : { ...given, type }
    const wire = isPlain(row) ? wireOf(row) : undefined
    if (wire !== undefined) this.#reserve(octetsAtMost(wire))
    if (wire === undefined || !this.#packIds(row)) this.#packJson(row)
    else this.#packWire(row, wire)
    this.#pad()
  }

  /** Packs a new recordset, which has no id, time and zone yet and whose texts are its printed octets. */
  packNew(rrset: RrsetOctets, { isManaged, ttlSeconds }: NewRecordset): void {
    const { octets, ownerAt, rdatasEnd } = rrset
    this.#reserve(headOctets + rdatasEnd - ownerAt)
    this.words.fill(0, 0, packedPlaces.end)
    const row = { isManaged, ttlSeconds, version: 1, updatedAt: null }
    const bits = this.#packHead(row, rrset)
    const start = this.#at - ownerAt
    for (let at = ownerAt; at < rdatasEnd; at += 1) this.#octets[start + at] = octets[at] as number
    this.#at = start + rdatasEnd
    putTime(this.words, 0, { time: 0, bits })
    this.#pad()
  }

  #pad(): void {
    while (this.#at % 4 !== 0) this.#octets[this.#at++] = 0
    this.wordCount = this.#at / 4
  }

  #reserve(octetCount: number): void {
    if (octetCount <= this.#octets.length) return
    this.words = new Uint32Array(Math.ceil(octetCount / 4))
    this.#octets = Buffer.from(this.words.buffer)
  }

  /** Returns whether the row has ids that can be packed. */
  #packIds({ id, zoneId }: Recordset): boolean {
    const { words } = this
    return writeUuid(words, packedPlaces.id, id) && writeUuid(words, packedPlaces.zoneId, zoneId)
  }

  #packWire(row: Recordset, wire: Wire): void {
    const { type, rdatas } = wire
    const bits = wire.bits | this.#packHead(row, { type, recordCount: rdatas.length })
    this.#putRrset(wire)
    const isNarrow = this.#putTexts(wire.texts, 1)
    if (!isNarrow) this.#putTexts(wire.texts, 2)
    putTime(this.words, 0, { time: row.createdAt, bits: isNarrow ? bits : bits | flags.isWide })
  }

  /** Packs the fields before the owner; returns their flags. */
  #packHead(
    { isManaged, updatedAt, version, ttlSeconds }: Head,
    { type, recordCount }: Pick<RrsetOctets, 'type' | 'recordCount'>,
  ): number {
    const { words } = this
    words[packedPlaces.type] = type | (recordCount << recordCountShift)
    let at: number = packedPlaces.end
    if (updatedAt !== null) {
      putTime(words, at, { time: updatedAt, bits: 0 })
      at += 2
    }
    this.#at = 4 * at
    this.#putVarint(version)
    if (ttlSeconds !== null) this.#putVarint(ttlSeconds)
    return (
      (isManaged ? flags.isManaged : 0) |
      (updatedAt === null ? 0 : flags.hasUpdatedAt) |
      (ttlSeconds === null ? 0 : flags.hasTtl)
    )
  }

  #packJson(row: Recordset): void {
    const text = JSON.stringify(row)
    this.#reserve(12 + maxVarintOctets + 2 * text.length)
    this.#at = 8
    this.#putVarint(text.length)
    const start = this.#at
    this.#at = putText(this.#octets, start, { text, width: 1 })
    const isWide = this.#at < 0
    if (isWide) this.#at = putText(this.#octets, start, { text, width: 2 })
    putTime(this.words, 0, { time: 0, bits: flags.isJson | (isWide ? flags.isWide : 0) })
  }

  #putRrset({ owner, rdatas }: Wire): void {
    this.#at = putText(this.#octets, this.#at, { text: owner, width: 1 })
    const octets = this.#octets
    for (const rdata of rdatas) {
      octets[this.#at] = rdata.length >>> 8
      octets[this.#at + 1] = rdata.length
      octets.set(rdata, this.#at + rdataLengthOctets)
      this.#at += rdataLengthOctets + rdata.length
    }
  }

  /** Writes the texts and returns true if no character is wider than `width`; otherwise leaves the position unchanged. */
  #putTexts(texts: readonly string[], width: 1 | 2): boolean {
    const start = this.#at
    for (const { length } of texts) this.#putVarint(length)
    for (const text of texts) {
      this.#at = putText(this.#octets, this.#at, { text, width })
      if (this.#at >= 0) continue
      this.#at = start
      return false
    }
    return true
  }

  #putVarint(value: number): void {
    let rest = value
    for (; rest >= 0x80; rest >>>= 7) this.#octets[this.#at++] = (rest & 0x7f) | 0x80
    this.#octets[this.#at++] = rest
  }
}

/** Undefined for a recordset that could not be answered. */
function wireOf({ name, type: mnemonic, description, records }: Recordset): Wire | undefined {
  const type = typeCode(mnemonic)
  if (type === undefined || typeMnemonic(type) !== mnemonic) return undefined
  try {
    const owner = parseName(name)
    const rdatas = rdatasOf(type, records)
    const hasName = ownerNameText(owner) !== name
    const hasValues = rdatas.some((rdata, i) => formatRdata(type, rdata) !== records[i])
    const texts: string[] = []
    if (description !== null) texts.push(description)
    if (hasName) texts.push(name)
    if (hasValues) texts.push(...records)
    const bits =
      (description === null ? 0 : flags.hasDescription) |
      (hasName ? flags.hasName : 0) |
      (hasValues ? flags.hasValues : 0)
    return { type, owner, rdatas, bits, texts }
  } catch (error) {
    if (error instanceof FormatError) return undefined
    throw error
  }
}

/** Whether the packed form of a row loses nothing. */
function isPlain(row: Recordset): boolean {
  const { version, createdAt, updatedAt, name, type, ttlSeconds, description, records } = row
  return (
    Object.keys(row).length === memberCount &&
    isVarint(version) &&
    isTime(createdAt) &&
    (updatedAt === null || isTime(updatedAt)) &&
    typeof name === 'string' &&
    typeof type === 'string' &&
    (ttlSeconds === null || isVarint(ttlSeconds)) &&
    (description === null || typeof description === 'string') &&
    typeof row.isManaged === 'boolean' &&
    Array.isArray(records) &&
    records.length <= maxRecords &&
    records.every(record => typeof record === 'string')
  )
}

function isVarint(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= maxVarint
}

function isTime(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0
}

function octetsAtMost({ owner, rdatas, texts }: Wire): number {
  let octets = owner.length
  for (const { length } of rdatas) octets += rdataLengthOctets + length
  for (const { length } of texts) octets += maxVarintOctets + 2 * length
  return headOctets + octets
}

/** Writes a text; returns where it ends, or a negative number if a character is too wide. */
function putText(
  octets: Buffer,
  start: number,
  { text, width }: { readonly text: string; readonly width: 1 | 2 },
): number {
  let at = start
  let seen = 0
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i)
    seen |= code
    octets[at++] = code
    if (width === 2) octets[at++] = code >>> 8
  }
  return width === 1 && seen > 0xff ? -1 : at
}
