import { FormatError } from '../dns/format-error.ts'
import { type Name, parseName } from '../dns/name.ts'
import { formatRdata, typeCode, typeMnemonic } from '../dns/rdata/index.ts'
import { rdataLengthOctets } from '../dns/rrset-octets.ts'
import { ownerNameText } from './owner-name.ts'
import {
  packedFlags as flags,
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
/** Members of a row that is packed. */
const memberCount = 11

/** An RRset that becomes a record set. */
export type NewRrset = {
  readonly isManaged: boolean
  readonly owner: Name
  readonly type: number
  /** Null: the zone's. */
  readonly ttlSeconds: number | null
  readonly rdatas: readonly Uint8Array[]
}

/** A record set as octets, and what of its texts these do not tell. */
type Wire = {
  readonly type: number
  readonly owner: Name
  readonly rdatas: readonly Uint8Array[]
  readonly bits: number
  readonly texts: readonly string[]
}

/** What of a record set is beside its RRset and its texts. */
type Head = Pick<
  Recordset,
  'id' | 'zoneId' | 'version' | 'createdAt' | 'updatedAt' | 'ttlSeconds' | 'isManaged'
>

const noId = '00000000-0000-0000-0000-000000000000'
const newHead = { id: noId, zoneId: noId, version: 1, createdAt: 0, updatedAt: null }

/** Packs record sets, one after the other, into memory of its own. */
export class RecordsetPacker {
  /** The last packed one. */
  words = new Uint32Array(256)
  wordCount = 0
  #octets = Buffer.from(this.words.buffer)
  /** The octet that is written next. */
  #at = 0

  /** The type is packed as it is called today: a row of an earlier version may say `TYPE42` of what has a name now. */
  pack(given: Recordset): void {
    const type = currentType(given.type)
    const row = type === given.type ? given : { ...given, type }
    const wire = isPlain(row) ? wireOf(row) : undefined
    if (wire === undefined || !this.#packWire(row, wire)) this.#packJson(row)
    this.#pad()
  }

  /** Packs a new record set, of no id, time and zone so far, whose texts are what its octets are printed as. */
  packNew({ isManaged, owner, type, ttlSeconds, rdatas }: NewRrset): void {
    const row = { ...newHead, isManaged, ttlSeconds }
    this.#packWire(row, { type, owner, rdatas, bits: 0, texts: [] })
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

  /** Returns whether the row could be packed. */
  #packWire(row: Head, wire: Wire): boolean {
    this.#reserve(octetsAtMost(wire))
    const { words } = this
    const { id, zoneId } = packedPlaces
    if (!writeUuid(words, id, row.id) || !writeUuid(words, zoneId, row.zoneId)) return false
    const { type, rdatas } = wire
    words[packedPlaces.type] = type | (rdatas.length << recordCountShift)
    let bits = wire.bits | (row.isManaged ? flags.isManaged : 0)
    let at: number = packedPlaces.end
    if (row.updatedAt !== null) {
      bits |= flags.hasUpdatedAt
      putTime(words, at, { time: row.updatedAt, bits: 0 })
      at += 2
    }
    this.#at = 4 * at
    this.#putVarint(row.version)
    if (row.ttlSeconds !== null) {
      bits |= flags.hasTtl
      this.#putVarint(row.ttlSeconds)
    }
    this.#putRrset(wire)
    if (!this.#putTexts(wire.texts, 1)) {
      bits |= flags.isWide
      this.#putTexts(wire.texts, 2)
    }
    putTime(words, 0, { time: row.createdAt, bits })
    return true
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

  /** Returns whether all characters are no wider; otherwise nothing is written. */
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

/** Undefined for what is no record set that could be answered. */
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

/** Whether a row has nothing that its packed form would lose. */
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
  // Times, version and TTL, what fills up the last word.
  return 4 * (packedPlaces.end + 2) + 2 * maxVarintOctets + octets + 4
}

/** Writes a text; returns where it ends, or a negative number where a character is too wide. */
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
