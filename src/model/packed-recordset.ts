import { nameFromOctets } from '../dns/name.ts'
import { formatRdataAt, typeCode, typeMnemonic } from '../dns/rdata/index.ts'
import { nameEnd, type RrsetOctets, rdataEnd, rdataLengthOctets } from '../dns/rrset-octets.ts'
import { ownerNameText } from './owner-name.ts'
import type { Recordset } from './recordset.ts'
import { compareUuids, formatUuid, readUuid, uuidLength, uuidWords } from './uuid-words.ts'

// A recordset in octets: the form in which it is stored, logged and published. Its records are in the form
// in which they are answered; its texts are made on demand. Numbers and ids come first:
//
//   word 0, 1   createdAt: low 32 bits, high 21 bits; above these the flags
//   word 2-5    id, word 6-9 zoneId, as UUIDs
//   word 10     type, and above it the number of records
//   word 11, 12 updatedAt, as createdAt, where it is not null
//
// then octets: version and TTL, where it is not null, as variable-length numbers (seven bits an octet, the last one
// below 128); the owner, uncompressed; the records, each behind its length (`RrsetOctets`); and then the texts that
// cannot be derived from all this: the description, and the name and the values where printing them would not give back
// the original. The lengths of the texts come first, then all characters, of one octet each or of two. A row that does
// not fit this form, such as one with a value that cannot be parsed, is kept as JSON.

/** The flags of a packed recordset. */
export const packedFlags = {
  isManaged: 1,
  hasUpdatedAt: 2,
  hasTtl: 4,
  hasDescription: 8,
  /** Two octets a character. */
  isWide: 16,
  /** createdAt is followed only by the length of a text, and the text: the whole row as JSON. */
  isJson: 32,
  hasName: 64,
  /** The texts of all values. */
  hasValues: 128,
} as const

const flags = packedFlags
const anyText = flags.hasDescription | flags.hasName | flags.hasValues

const timeBits = 21
const timeMask = (1 << timeBits) - 1
const wordValues = 2 ** 32

/** Offsets of the parts with a fixed place, in words. */
export const packedPlaces = {
  id: 2,
  zoneId: 2 + uuidWords,
  type: 2 + 2 * uuidWords,
  /** The first word after the parts that every packed recordset has. */
  end: 3 + 2 * uuidWords,
} as const

/** The number of records is above the type. */
export const recordCountShift = 16
const typeMask = 0xffff

/** The place of a recordset, valid until the next change of any recordset. */
export type PackedRecordset = {
  readonly words: Uint32Array
  /** The same memory as octets. */
  readonly octets: Buffer
  /** The index of its first word. */
  readonly at: number
}

/** What orders recordsets: creation, then id. */
type Place = Pick<Recordset, 'createdAt' | 'id'>

/** Reads packed recordsets. The strings of one call share memory. */
export class RecordsetUnpacker {
  #at = 0
  #octets: Buffer = Buffer.alloc(0)
  readonly #scratch = Buffer.alloc(uuidLength + 256)
  /** The zone of the last recordset, as words and as text: most recordsets are read together with others of their zone. */
  readonly #zone = { words: new Uint32Array(uuidWords), at: 0 }
  #zoneId = readUuid(this.#zone.words, 0)

  unpack(record: PackedRecordset): Recordset {
    return this.#unpack(record, true)
  }

  /** As `unpack`, perhaps without the records: printing them costs as much as all the rest. */
  unpackHead(record: PackedRecordset): Recordset {
    return this.#unpack(record, false)
  }

  #unpack({ words, octets, at }: PackedRecordset, needsRecords: boolean): Recordset {
    const bits = flagsOf(words, at)
    this.#octets = octets
    if ((bits & flags.isJson) !== 0) return this.#json(at, bits)
    const hasUpdatedAt = (bits & flags.hasUpdatedAt) !== 0
    this.#at = 4 * (at + packedPlaces.end + (hasUpdatedAt ? 2 : 0))
    const version = this.#varint()
    const ttlSeconds = (bits & flags.hasTtl) === 0 ? null : this.#varint()
    const head = words[at + packedPlaces.type] ?? 0
    const { id, name } = this.#idAndName({ words, at: at + packedPlaces.id })
    const row: Recordset = {
      id,
      version,
      createdAt: timeOf(words, at),
      updatedAt: hasUpdatedAt ? timeOf(words, at + packedPlaces.end) : null,
      zoneId: this.#zoneIdAt(words, at + packedPlaces.zoneId),
      name,
      type: typeMnemonic(head & typeMask),
      ttlSeconds,
      description: null,
      // Texts come after the records.
      records: needsRecords || (bits & anyText) !== 0 ? this.#values(head) : [],
      isManaged: (bits & flags.isManaged) !== 0,
    }
    if ((bits & anyText) === 0) return row
    return { ...row, ...this.#texts(bits, head >>> recordCountShift) }
  }

  /** The RRset of a recordset, for the data plane; undefined where it has no records, or is kept as JSON.
   *  @param zoneTtlSeconds for a recordset without a TTL */
  rrsetOf({ words, octets, at }: PackedRecordset, zoneTtlSeconds: number): RrsetOctets | undefined {
    const bits = flagsOf(words, at)
    const head = words[at + packedPlaces.type] ?? 0
    const recordCount = head >>> recordCountShift
    if ((bits & flags.isJson) !== 0 || recordCount === 0) return undefined
    this.#octets = octets
    this.#at = 4 * (at + packedPlaces.end + ((bits & flags.hasUpdatedAt) === 0 ? 0 : 2))
    this.#varint()
    const ttlSeconds = (bits & flags.hasTtl) === 0 ? zoneTtlSeconds : this.#varint()
    const ownerAt = this.#at
    const rdatasAt = nameEnd(octets, ownerAt)
    let rdatasEnd = rdatasAt
    for (let left = recordCount; left > 0; left -= 1) rdatasEnd = rdataEnd(octets, rdatasEnd)
    const type = head & typeMask
    return { octets, ownerAt, type, ttlSeconds, recordCount, rdatasAt, rdatasEnd }
  }

  idOf(record: PackedRecordset): string {
    return isJson(record)
      ? this.unpack(record).id
      : readUuid(record.words, record.at + packedPlaces.id)
  }

  placeOf(record: PackedRecordset): Place {
    if (isJson(record)) return this.unpack(record)
    return { createdAt: timeOf(record.words, record.at), id: this.idOf(record) }
  }

  zoneIdOf(record: PackedRecordset): string {
    return isJson(record)
      ? this.unpack(record).zoneId
      : this.#zoneIdAt(record.words, record.at + packedPlaces.zoneId)
  }

  #json(at: number, bits: number): Recordset {
    this.#at = 4 * at + 8
    return JSON.parse(this.#text(this.#varint(), bits)) as Recordset
  }

  /** An id and the name at the current place. Making one string of both takes half as long as making two. */
  #idAndName(id: { readonly words: Uint32Array; readonly at: number }): {
    readonly id: string
    readonly name: string
  } {
    const octets = this.#octets
    const scratch = this.#scratch
    const start = this.#at
    const end = nameEnd(octets, start)
    this.#at = end
    const length = end - start - 1
    let isPlain = length > 0
    for (let at = start; at < end - 1 && isPlain; ) {
      const labelEnd = at + 1 + (octets[at] as number)
      for (at += 1; at < labelEnd; at += 1) {
        const octet = octets[at] as number
        if (plainOctets[octet] === 0) isPlain = false
        scratch[uuidLength + at - start - 1] = octet
      }
      scratch[uuidLength + at - start - 1] = dot
    }
    if (!isPlain) {
      return { id: readUuid(id.words, id.at), name: ownerNameText(nameFromOctets(octets, start)) }
    }
    formatUuid(id.words, id.at, scratch)
    const text = scratch.toString('latin1', 0, uuidLength + length)
    return { id: text.substring(0, uuidLength), name: text.substring(uuidLength) }
  }

  /** The values, printed from their octets. */
  #values(head: number): string[] {
    const octets = this.#octets
    const values: string[] = []
    for (let left = head >>> recordCountShift; left > 0; left -= 1) {
      const start = this.#at + rdataLengthOctets
      this.#at = rdataEnd(octets, this.#at)
      values.push(formatRdataAt(head & typeMask, octets, start, this.#at))
    }
    return values
  }

  /** The texts that cannot be derived from the rest. */
  #texts(bits: number, recordCount: number): Partial<Recordset> {
    const has = (flag: number): boolean => (bits & flag) !== 0
    const ends: number[] = []
    let end = 0
    const textCount =
      (has(flags.hasDescription) ? 1 : 0) +
      (has(flags.hasName) ? 1 : 0) +
      (has(flags.hasValues) ? recordCount : 0)
    for (let left = textCount; left > 0; left -= 1) {
      end += this.#varint()
      ends.push(end)
    }
    const all = this.#text(end, bits)
    const texts = ends.map((end, i) => all.substring(ends[i - 1] ?? 0, end))
    return {
      ...(has(flags.hasDescription) && { description: texts.shift() ?? '' }),
      ...(has(flags.hasName) && { name: texts.shift() ?? '' }),
      ...(has(flags.hasValues) && { records: texts }),
    }
  }

  #text(length: number, bits: number): string {
    const isWide = (bits & flags.isWide) !== 0
    const end = this.#at + (isWide ? 2 : 1) * length
    return this.#octets.toString(isWide ? 'utf16le' : 'latin1', this.#at, end)
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

/** A shared unpacker for callers that read one recordset at a time. */
export const recordsetUnpacker = new RecordsetUnpacker()

const dot = 0x2e
/** By octet: 1 where it is printed in a name without an escape. */
const plainOctets = Uint8Array.from({ length: 256 }, (_, octet) =>
  /[\w*/+-]/.test(String.fromCharCode(octet)) ? 1 : 0,
)

/** Whether the server keeps the recordset; undefined where that cannot be known without unpacking it. */
export function isManagedPacked(record: PackedRecordset): boolean | undefined {
  if (isJson(record)) return undefined
  return (flagsOf(record.words, record.at) & flags.isManaged) !== 0
}

/** The version of a recordset; undefined where that cannot be known without unpacking it. */
export function packedVersion(record: PackedRecordset): number | undefined {
  const { words, octets, at } = record
  const bits = flagsOf(words, at)
  if ((bits & flags.isJson) !== 0) return undefined
  let version = 0
  let next = 4 * (at + packedPlaces.end + ((bits & flags.hasUpdatedAt) === 0 ? 0 : 2))
  for (let shift = 0; ; shift += 7) {
    const octet = octets[next++] ?? 0
    version |= (octet & 0x7f) << shift
    if (octet < 0x80) return version
  }
}

/** Whether a recordset has the TTL of its zone. */
export function inheritsTtl(record: PackedRecordset): boolean {
  if (isJson(record)) return recordsetUnpacker.unpack(record).ttlSeconds === null
  return (flagsOf(record.words, record.at) & flags.hasTtl) === 0
}

/** The place of a recordset's owner, and the type; undefined where it is kept as JSON. */
export function packedOwner(
  record: PackedRecordset,
): { readonly octets: Uint8Array; readonly ownerAt: number; readonly type: number } | undefined {
  if (isJson(record)) return undefined
  const { octets } = record
  return { octets, ownerAt: ownerAtOf(record), type: packedType(record) }
}

/** The value of `packedType` for recordsets of a type; undefined where there is no such type. */
export function packedTypeOf(mnemonic: string): number | undefined {
  return typeCode(mnemonic)
}

/** The type of a recordset that is not kept as JSON. */
export function packedType({ words, at }: PackedRecordset): number {
  return (words[at + packedPlaces.type] as number) & typeMask
}

/** Where the owner of a recordset begins; -1 where it is kept as JSON, or its name as text differs from its octets. */
export function packedNameAt(record: PackedRecordset): number {
  const bits = flagsOf(record.words, record.at)
  return (bits & (flags.isJson | flags.hasName)) === 0 ? ownerAtOf(record) : -1
}

/** Where the owner of a recordset that is not kept as JSON begins.
 *  @param end where its parts with a fixed place end */
export function ownerAtOf({ words, octets, at }: PackedRecordset, end = packedPlaces.end): number {
  const bits = flagsOf(words, at)
  let ownerAt = 4 * (at + end + ((bits & flags.hasUpdatedAt) === 0 ? 0 : 2))
  for (let left = (bits & flags.hasTtl) === 0 ? 1 : 2; left > 0; left -= 1) {
    while ((octets[ownerAt] as number) >= 0x80) ownerAt += 1
    ownerAt += 1
  }
  return ownerAt
}

/** Where the owner that begins at `ownerAt` ends. */
export function ownerEndAt(octets: Uint8Array, ownerAt: number): number {
  return nameEnd(octets, ownerAt)
}

/** Whether a recordset that is not kept as JSON stores its name or values as text, since its octets print otherwise. */
export function hasOwnTexts({ words, at }: PackedRecordset): boolean {
  return (flagsOf(words, at) & (flags.hasName | flags.hasValues)) !== 0
}

/** The number of records of a recordset; undefined where that cannot be known without unpacking it. */
export function packedRecordCount(record: PackedRecordset): number | undefined {
  if (isJson(record)) return undefined
  return (record.words[record.at + packedPlaces.type] ?? 0) >>> recordCountShift
}

/** Whether a recordset is kept as JSON. */
export function isJson({ words, at }: PackedRecordset): boolean {
  return (flagsOf(words, at) & flags.isJson) !== 0
}

/** Orders two recordsets, as far as that can be known without unpacking them. */
export function comparePacked(left: PackedRecordset, right: PackedRecordset): number | undefined {
  if (isJson(left) || isJson(right)) return undefined
  const order = timeOf(left.words, left.at) - timeOf(right.words, right.at)
  return order === 0 ? compareUuids(idOf(left), idOf(right)) : order
}

/** Orders a recordset against a place, as far as that can be known without unpacking it. */
export function comparePackedPlace(record: PackedRecordset, place: Place): number | undefined {
  if (isJson(record)) return undefined
  const createdAt = timeOf(record.words, record.at)
  if (createdAt !== place.createdAt) return createdAt - place.createdAt
  const id = readUuid(record.words, record.at + packedPlaces.id)
  if (id === place.id) return 0
  return id < place.id ? -1 : 1
}

/** Writes a time with flags above it. */
export function putTime(
  words: Uint32Array,
  at: number,
  { time, bits }: { readonly time: number; readonly bits: number },
): void {
  words[at] = time
  words[at + 1] = Math.floor(time / wordValues) | (bits << timeBits)
}

/** Writes a time and leaves the flags above it. */
export function putTimeBelowFlags(words: Uint32Array, at: number, time: number): void {
  putTime(words, at, { time, bits: flagsOf(words, at) })
}

function idOf({ words, at }: PackedRecordset) {
  return { words, at: at + packedPlaces.id }
}

function flagsOf(words: Uint32Array, at: number): number {
  return (words[at + 1] ?? 0) >>> timeBits
}

function timeOf(words: Uint32Array, at: number): number {
  return (words[at] ?? 0) + ((words[at + 1] ?? 0) & timeMask) * wordValues
}
