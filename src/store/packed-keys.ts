import { finishHash, hashStep } from '../hash.ts'
import {
  isManagedPacked,
  type PackedRecordset,
  packedNameAt,
  packedPlaces,
  packedRecordCount,
  packedType,
  packedTypeOf,
  recordsetUnpacker,
} from '../model/packed-recordset.ts'
import { countOf, type RecordsetRun } from '../model/recordset-run.ts'
import { compareUuids, uuidWords } from '../model/uuid-words.ts'
import { packedIdHash } from './id-hash.ts'
import { hashStart } from './key-table.ts'
import type { PackedRecordsets } from './packed-recordsets.ts'

// The inputs of the recordset indexes (`indexes.ts`), read from packed recordsets without creating strings: the hashes of their
// keys, and the amounts of their sums. Keys of a zone begin with its id, so the hash state after the id is kept for the next
// recordset.

const [aliasType, cdsType, cdnskeyType] = ['ALIAS', 'CDS', 'CDNSKEY'].map(packedTypeOf)
const lineFeed = 0x0a
const dot = 0x2e

/** Reads one packed recordset after the other. */
export class PackedKeys {
  /** The hash of its id. */
  idHash = 0
  /** The hash of its key in the group index `byOwner`. */
  ownerHash = 0
  zoneId = ''
  recordCount = 0
  isManaged = false
  readonly #zone = { words: new Uint32Array(uuidWords), at: 0 }
  readonly #next: { words: Uint32Array; at: number } = { ...this.#zone }
  #hashOfZone = 0

  /** Returns false, and is not usable then, if only the row can give its keys. */
  read(record: PackedRecordset): boolean {
    const nameAt = packedNameAt(record)
    const type = packedType(record)
    // These may be in a further index, and are rare.
    if (nameAt < 0 || type === aliasType || type === cdsType || type === cdnskeyType) return false
    this.#readZone(record)
    const hash = this.#hashOfName(record.octets, nameAt)
    if (hash === undefined) return false
    this.ownerHash = finishHash(hash)
    this.idHash = packedIdHash(record)
    this.recordCount = packedRecordCount(record) ?? 0
    this.isManaged = isManagedPacked(record) ?? false
    return true
  }

  /** What it adds to a sum of its zone. */
  amount(sum: string): number {
    return this.isManaged === (sum === 'managedRecordsOfZone') ? this.recordCount : 0
  }

  #readZone(record: PackedRecordset): void {
    this.#next.words = record.words
    this.#next.at = record.at + packedPlaces.zoneId
    if (this.zoneId !== '' && compareUuids(this.#zone, this.#next) === 0) return
    this.zoneId = recordsetUnpacker.zoneIdOf(record)
    for (let i = 0; i < uuidWords; i += 1)
      this.#zone.words[i] = record.words[this.#next.at + i] as number
    this.#hashOfZone = hashStep(hashOf(this.zoneId, hashStart), lineFeed)
  }

  /** Undefined if the name is not printed literally. */
  #hashOfName(octets: Uint8Array, at: number): number | undefined {
    let hash = this.#hashOfZone
    let next = at
    for (let length = octets[next] as number; length > 0; length = octets[next] as number) {
      const end = next + 1 + length
      for (next += 1; next < end; next += 1) {
        const code = keyCodes[octets[next] as number] as number
        if (code === 0) return undefined
        hash = hashStep(hash, code)
      }
      hash = hashStep(hash, dot)
    }
    return next === at ? undefined : hash
  }
}

/** The keys of all recordsets of a run, which are of one zone. */
export class RunKeys {
  readonly #keys = new PackedKeys()
  /** How many of the first elements of each array belong to the last run. */
  count = 0
  numbers = new Int32Array(0)
  idHashes = new Int32Array(0)
  ownerHashes = new Int32Array(0)
  zoneId = ''
  managedRecordCount = 0
  otherRecordCount = 0
  /** Numbers of recordsets whose keys are known only after unpacking, not included in these arrays and counts. */
  readonly unusual: number[] = []

  /** Stores the new recordsets of a run among the others. */
  read(run: RecordsetRun, rows: PackedRecordsets): void {
    this.#begin(countOf(run))
    const octets = Buffer.from(run.buffer, run.byteOffset, run.byteLength)
    const record = { words: run, octets, at: 0, wordCount: 0 }
    for (let at = 0; at < run.length; at += 1 + record.wordCount) {
      record.at = at + 1
      record.wordCount = run[at] as number
      const number = rows.addPacked(record)
      if (this.#keys.read(record)) this.#add(number)
      else this.unusual.push(number)
    }
    this.zoneId = this.#keys.zoneId
  }

  /** What they add to a sum of their zone. */
  amount(sum: string): number {
    return sum === 'managedRecordsOfZone' ? this.managedRecordCount : this.otherRecordCount
  }

  #begin(count: number): void {
    this.count = 0
    this.managedRecordCount = 0
    this.otherRecordCount = 0
    this.unusual.length = 0
    if (count <= this.numbers.length) return
    this.numbers = new Int32Array(count)
    this.idHashes = new Int32Array(count)
    this.ownerHashes = new Int32Array(count)
  }

  #add(number: number): void {
    const { idHash, ownerHash, recordCount, isManaged } = this.#keys
    this.numbers[this.count] = number
    this.idHashes[this.count] = idHash
    this.ownerHashes[this.count] = ownerHash
    this.count += 1
    if (isManaged) this.managedRecordCount += recordCount
    else this.otherRecordCount += recordCount
  }
}

/** For each octet of a name, its lower-case form in a key; 0 if it would be printed differently. */
const keyCodes = Uint8Array.from({ length: 256 }, (_, octet) => {
  const character = String.fromCharCode(octet)
  return /[\w*/+-]/.test(character) ? character.toLowerCase().charCodeAt(0) : 0
})

function hashOf(text: string, start: number): number {
  let hash = start
  for (let i = 0; i < text.length; i += 1) hash = hashStep(hash, text.charCodeAt(i))
  return hash
}
