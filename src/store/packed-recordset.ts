import { currentType } from '../model/record-type.ts'
import type { Recordset } from '../model/recordset.ts'
import { comparePlaces, type Place } from './ordered-rows.ts'
import type { PackedRecord } from './record-pages.ts'
import {
  compareUuids,
  formatUuid,
  readUuid,
  uuidLength,
  uuidWords,
  writeUuid,
} from './uuid-words.ts'

// A record set in octets, a third of what the same weighs as an object. Numbers and ids come first:
//
//   word 0, 1   createdAt: low 32 bits, high 21 bits; above these the flags
//   word 2-5    id, word 6-9 zoneId, as UUIDs
//   word 10, 11 updatedAt, as createdAt, where it is not null
//
// then variable-length numbers (seven bits an octet, the last one below 128): version, TTL where it is not null,
// lengths in characters of name, type and description, the number of values and the length of each. Then all these
// texts in a row, an octet a character or two. What does not fit into this is kept as JSON.

/** The flags of a packed record set. */
const flags = {
  isManaged: 1,
  hasUpdatedAt: 2,
  hasTtl: 4,
  hasDescription: 8,
  /** Two octets a character. */
  isWide: 16,
  /** Behind createdAt there is nothing but the length of a text: all of the row as JSON. */
  isJson: 32,
} as const

const timeBits = 21
const timeMask = (1 << timeBits) - 1
const wordValues = 2 ** 32
const maxVarint = 2 ** 31 - 1
const maxVarintOctets = 5

const idAt = 2
const zoneIdAt = idAt + uuidWords
const fixedWords = zoneIdAt + uuidWords
/** Members of a row that is packed. */
const memberCount = 11

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
    if (!isPlain(row) || !this.#packMembers(row)) this.#packJson(row)
    while (this.#at % 4 !== 0) this.#octets[this.#at++] = 0
    this.wordCount = this.#at / 4
  }

  #reserve(octetCount: number): void {
    if (octetCount <= this.#octets.length) return
    this.words = new Uint32Array(Math.ceil(octetCount / 4))
    this.#octets = Buffer.from(this.words.buffer)
  }

  /** Returns whether the row could be packed. */
  #packMembers(row: Recordset): boolean {
    this.#reserve(octetsAtMost(row))
    const { words } = this
    if (!writeUuid(words, idAt, row.id) || !writeUuid(words, zoneIdAt, row.zoneId)) return false
    let bits = row.isManaged ? flags.isManaged : 0
    let at = fixedWords
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
    if (row.description !== null) bits |= flags.hasDescription
    this.#putLengths(row)
    if (!this.#putTexts(row, 1)) {
      bits |= flags.isWide
      this.#putTexts(row, 2)
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

  #putLengths({ name, type, description, records }: Recordset): void {
    this.#putVarint(name.length)
    this.#putVarint(type.length)
    if (description !== null) this.#putVarint(description.length)
    this.#putVarint(records.length)
    for (const { length } of records) this.#putVarint(length)
  }

  /** Returns whether all characters are no wider; otherwise nothing is written. */
  #putTexts({ name, type, description, records }: Recordset, width: 1 | 2): boolean {
    const start = this.#at
    const put = (text: string): boolean => {
      this.#at = putText(this.#octets, this.#at, { text, width })
      return this.#at >= 0
    }
    const isDone =
      put(name) && put(type) && (description === null || put(description)) && records.every(put)
    if (!isDone) this.#at = start
    return isDone
  }

  #putVarint(value: number): void {
    let rest = value
    for (; rest >= 0x80; rest >>>= 7) this.#octets[this.#at++] = (rest & 0x7f) | 0x80
    this.#octets[this.#at++] = rest
  }
}

/** Unpacks a record set. Strings of one call share memory. */
export class RecordsetUnpacker {
  #at = 0
  #octets: Buffer = Buffer.alloc(0)
  readonly #scratch = Buffer.alloc(uuidLength + 220)
  /** The zone of the last one, as words and as text: most come with others of their zone. */
  readonly #zone = { words: new Uint32Array(uuidWords), at: 0 }
  #zoneId = readUuid(this.#zone.words, 0)

  unpack({ words, octets, at }: PackedRecord): Recordset {
    const bits = flagsOf(words, at)
    this.#octets = octets
    if ((bits & flags.isJson) !== 0) return this.#json(at, bits)
    const hasUpdatedAt = (bits & flags.hasUpdatedAt) !== 0
    this.#at = 4 * (at + fixedWords + (hasUpdatedAt ? 2 : 0))
    const version = this.#varint()
    const ttlSeconds = (bits & flags.hasTtl) === 0 ? null : this.#varint()
    const { id, name, type, description, records } = this.#texts(bits, { words, at: at + idAt })
    return {
      id,
      version,
      createdAt: timeOf(words, at),
      updatedAt: hasUpdatedAt ? timeOf(words, at + fixedWords) : null,
      zoneId: this.#zoneIdAt(words, at + zoneIdAt),
      name,
      type,
      ttlSeconds,
      description,
      records,
      isManaged: (bits & flags.isManaged) !== 0,
    }
  }

  #json(at: number, bits: number): Recordset {
    this.#at = 4 * at + 8
    return JSON.parse(this.#text(this.#varint(), bits)) as Recordset
  }

  #texts(
    bits: number,
    id: { readonly words: Uint32Array; readonly at: number },
  ): Pick<Recordset, 'id' | 'name' | 'type' | 'description' | 'records'> {
    const nameEnd = uuidLength + this.#varint()
    const typeEnd = nameEnd + this.#varint()
    const hasDescription = (bits & flags.hasDescription) !== 0
    const descriptionEnd = typeEnd + (hasDescription ? this.#varint() : 0)
    const ends: number[] = []
    let end = descriptionEnd
    for (let rest = this.#varint(); rest > 0; rest -= 1) {
      end += this.#varint()
      ends.push(end)
    }
    const text = this.#idAndText(id, { length: end - uuidLength, bits })
    return {
      id: text.substring(0, uuidLength),
      name: text.substring(uuidLength, nameEnd),
      type: text.substring(nameEnd, typeEnd),
      description: hasDescription ? text.substring(typeEnd, descriptionEnd) : null,
      records: ends.map((end, i) => text.substring(ends[i - 1] ?? descriptionEnd, end)),
    }
  }

  /** An id and the text that comes next. To make one string of them takes half as long as to make two. */
  #idAndText(
    id: { readonly words: Uint32Array; readonly at: number },
    { length, bits }: { readonly length: number; readonly bits: number },
  ): string {
    const total = uuidLength + length
    if (total > this.#scratch.length || (bits & flags.isWide) !== 0) {
      return readUuid(id.words, id.at) + this.#text(length, bits)
    }
    formatUuid(id.words, id.at, this.#scratch)
    for (let i = uuidLength, from = this.#at; i < total; i += 1, from += 1) {
      this.#scratch[i] = this.#octets[from] ?? 0
    }
    return this.#scratch.toString('latin1', 0, total)
  }

  #text(length: number, bits: number): string {
    const isWide = (bits & flags.isWide) !== 0
    const end = this.#at + (isWide ? 2 : 1) * length
    return this.#octets.toString(isWide ? 'utf16le' : 'latin1', this.#at, end)
  }

  zoneIdOf(record: PackedRecord): string {
    return isJson(record)
      ? this.unpack(record).zoneId
      : this.#zoneIdAt(record.words, record.at + zoneIdAt)
  }

  #zoneIdAt(words: Uint32Array, at: number): string {
    if (compareUuids(this.#zone, { words, at }) !== 0) {
      this.#zoneId = readUuid(words, at)
      this.#zone.words.set(words.subarray(at, at + uuidWords))
    }
    return this.#zoneId
  }

  #varint(): number {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const octet = this.#octets[this.#at++] ?? 0
      value |= (octet & 0x7f) << shift
      if (octet < 0x80) return value
    }
  }
}

/** Where a record set is in creation order, as far as that can be told without unpacking it. */
export function comparePacked(
  left: PackedRecord,
  right: PackedRecord,
  unpack: (record: PackedRecord) => Place,
): number {
  if (isJson(left) || isJson(right)) return comparePlaces(unpack(left), unpack(right))
  const order = timeOf(left.words, left.at) - timeOf(right.words, right.at)
  return order === 0 ? compareUuids(idOf(left), idOf(right)) : order
}

/** As `comparePlaces`. */
export function comparePackedPlace(
  record: PackedRecord,
  place: Place,
  unpack: (record: PackedRecord) => Place,
): number {
  if (isJson(record)) return comparePlaces(unpack(record), place)
  const createdAt = timeOf(record.words, record.at)
  if (createdAt !== place.createdAt) return createdAt - place.createdAt
  return comparePlaces({ createdAt, id: readUuid(record.words, record.at + idAt) }, place)
}

/** The id of a record set, as far as that can be told without unpacking it. */
export function packedIdOf(record: PackedRecord, unpack: (record: PackedRecord) => Place): string {
  return isJson(record) ? unpack(record).id : readUuid(record.words, record.at + idAt)
}

/** False where that cannot be told without unpacking them. */
export function isOfSameZone(left: PackedRecord, right: PackedRecord): boolean {
  return !isJson(left) && !isJson(right) && compareUuids(zoneOf(left), zoneOf(right)) === 0
}

function isJson({ words, at }: PackedRecord): boolean {
  return (flagsOf(words, at) & flags.isJson) !== 0
}

function idOf({ words, at }: PackedRecord) {
  return { words, at: at + idAt }
}

function zoneOf({ words, at }: PackedRecord) {
  return { words, at: at + zoneIdAt }
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
    records.every(record => typeof record === 'string')
  )
}

function isVarint(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= maxVarint
}

function isTime(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0
}

function octetsAtMost({ name, type, description, records }: Recordset): number {
  let characters = name.length + type.length + (description?.length ?? 0)
  for (const { length } of records) characters += length
  // Times, four numbers and as many lengths, what fills up the last word.
  return 4 * (fixedWords + 2) + maxVarintOctets * (8 + records.length) + 2 * characters + 4
}

function flagsOf(words: Uint32Array, at: number): number {
  return (words[at + 1] ?? 0) >>> timeBits
}

function timeOf(words: Uint32Array, at: number): number {
  return (words[at] ?? 0) + ((words[at + 1] ?? 0) & timeMask) * wordValues
}

function putTime(
  words: Uint32Array,
  at: number,
  { time, bits }: { readonly time: number; readonly bits: number },
): void {
  words[at] = time
  words[at + 1] = Math.floor(time / wordValues) | (bits << timeBits)
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
