import { finishHash, hashStep } from '../hash.ts'
import {
  isJson,
  isManagedPacked,
  type PackedRecordset,
  packedPlaces,
  packedRecordCount,
  packedRrset,
  recordsetUnpacker,
} from '../model/packed-recordset.ts'
import { uuidWords, writeUuid } from '../model/uuid-words.ts'
import { hashOfText, hashStart } from './key-table.ts'

// What the indexes of record sets (`indexes.ts`) go by, derived from packed ones without a text being made: the hashes
// of their keys, and the amounts of their sums. Keys of a zone begin with its id, so how far the hash has come with
// that is kept for the next one.

const lineFeed = 0x0a
const dot = 0x2e

/** Reads one packed record set after the other. */
export class PackedKeys {
  /** The hash of its id. */
  idHash = 0
  zoneId = ''
  #ownerHash = 0
  #nameAndTypeHash = 0
  #recordCount = 0
  #isManaged = false
  #hashOfZone = 0

  /** Returns false, and is of no use then, where it takes the row to tell its keys. */
  read(record: PackedRecordset): boolean {
    const rrset = packedRrset(record)
    if (rrset === undefined) return false
    const zoneId = recordsetUnpacker.zoneIdOf(record)
    if (zoneId !== this.zoneId) {
      this.zoneId = zoneId
      this.#hashOfZone = hashStep(hashOf(zoneId, hashStart), lineFeed)
    }
    const hash = this.#hashOfName(rrset.octets, rrset.ownerAt)
    if (hash === undefined) return false
    this.#ownerHash = finishHash(hash)
    this.#nameAndTypeHash = finishHash(hashOf(rrset.type, hashStep(hash, lineFeed)))
    this.idHash = hashOfId(record)
    this.#recordCount = packedRecordCount(record) ?? 0
    this.#isManaged = isManagedPacked(record) ?? false
    return true
  }

  /** The hash of its key in a unique index. */
  uniqueHash(index: string): number {
    if (index === 'byNameAndType') return this.#nameAndTypeHash
    throw new Error(`no keys for ${index}`)
  }

  /** The hash of its key in a group index but `byZone`; undefined where it is in no group of that: one that is has more
   *  to it than can be packed. */
  groupHash(index: string): number | undefined {
    return index === 'byOwner' ? this.#ownerHash : undefined
  }

  /** What it adds to a sum of its zone. */
  amount(sum: string): number {
    return this.#isManaged === (sum === 'managedRecordsOfZone') ? this.#recordCount : 0
  }

  /** Undefined where the name is not printed as it is. */
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

/** The hash of a record set's id; undefined where it takes the row to tell that. */
export function packedIdHash(record: PackedRecordset): number | undefined {
  return isJson(record) ? undefined : hashOfId(record)
}

const idWords = new Uint32Array(uuidWords)

/** The hash of an id. That of a UUID is computed from its words, which takes a third of the time of its text. */
export function idHash(id: string): number {
  return writeUuid(idWords, 0, id) ? hashOfWords(idWords, 0) : hashOfText(id)
}

function hashOfId({ words, at }: PackedRecordset): number {
  return hashOfWords(words, at + packedPlaces.id)
}

function hashOfWords(words: Uint32Array, at: number): number {
  let hash = hashStart
  for (let i = 0; i < uuidWords; i += 1) hash = finishHash(hashStep(hash, words[at + i] as number))
  return hash
}

/** By octet of a name what it is in a key, in lower case; 0 where it would be printed otherwise. */
const keyCodes = Uint8Array.from({ length: 256 }, (_, octet) => {
  const character = String.fromCharCode(octet)
  return /[\w*/+-]/.test(character) ? character.toLowerCase().charCodeAt(0) : 0
})

function hashOf(text: string, start: number): number {
  let hash = start
  for (let i = 0; i < text.length; i += 1) hash = hashStep(hash, text.charCodeAt(i))
  return hash
}
