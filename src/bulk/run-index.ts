import { lowerCaseOctet } from '../dns/name.ts'
import { nameEnd } from '../dns/rrset-octets.ts'
import { finishHash, hashStep } from '../hash.ts'
import { type PackedRecordset, packedOwner } from '../model/packed-recordset.ts'
import {
  countOf,
  type PlacedRecordset,
  type RecordsetRun,
  recordsetsOf,
} from '../model/recordset-run.ts'

/** Finds recordsets of runs, none of which is kept as JSON, by owner, ignoring case, and type. */
export class RunIndex {
  readonly #seed: number
  readonly #runs: readonly Pick<PlacedRecordset, 'words' | 'octets'>[]
  /** For each recordset its run, and its position there. */
  readonly #runOf: Int32Array
  readonly #atOf: Int32Array
  readonly #wordsOf: Int32Array
  readonly #hashes: Int32Array
  /** By hash: the numbers of recordsets, plus one. */
  readonly #slots: Int32Array
  readonly count: number

  /** @param seed 32 random bits, unknown to the author of the names */
  constructor(runs: readonly RecordsetRun[], seed: number) {
    this.#seed = seed
    this.count = runs.reduce((sum, run) => sum + countOf(run), 0)
    this.#runOf = new Int32Array(this.count)
    this.#atOf = new Int32Array(this.count)
    this.#wordsOf = new Int32Array(this.count)
    this.#hashes = new Int32Array(this.count)
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * this.count + 2)))
    this.#runs = runs.map(run => ({
      words: run,
      octets: Buffer.from(run.buffer, run.byteOffset, run.byteLength),
    }))
    let number = 0
    for (const [i, run] of runs.entries()) {
      for (const record of recordsetsOf(run)) {
        this.#runOf[number] = i
        this.#atOf[number] = record.at
        this.#wordsOf[number] = record.wordCount
        this.#add(number, record)
        number += 1
      }
    }
  }

  /** Returns a recordset by its number, from 0 on, in the order of the runs. */
  at(number: number): PlacedRecordset {
    const run = this.#runs[this.#runOf[number] as number] as Pick<
      PlacedRecordset,
      'words' | 'octets'
    >
    const at = this.#atOf[number] as number
    return { ...run, at, wordCount: this.#wordsOf[number] as number }
  }

  /** The number of the recordset with this owner, ignoring case, and type; -1 if there is none. */
  find(key: OwnerKey): number {
    const hash = hashOf(key, this.#seed)
    const mask = this.#slots.length - 1
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const number = (this.#slots[slot] as number) - 1
      if (number < 0) return -1
      if (this.#hashes[number] === hash && isSameKey(key, packedOwner(this.at(number))))
        return number
    }
  }

  #add(number: number, record: PackedRecordset): void {
    const hash = hashOf(packedOwner(record) as OwnerKey, this.#seed)
    const mask = this.#slots.length - 1
    let slot = hash & mask
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
    this.#slots[slot] = number + 1
    this.#hashes[number] = hash
  }
}

/** An owner and a type. */
export type OwnerKey = NonNullable<ReturnType<typeof packedOwner>>

function isSameKey(key: OwnerKey, other: OwnerKey | undefined): boolean {
  if (other === undefined || key.type !== other.type) return false
  const length = nameEnd(key.octets, key.ownerAt) - key.ownerAt
  for (let i = 0; i < length; i += 1) {
    const left = lowerCaseOctet(key.octets[key.ownerAt + i] as number)
    if (left !== lowerCaseOctet(other.octets[other.ownerAt + i] as number)) return false
  }
  // A name ends with its root label, so no name is a prefix of another.
  return true
}

/** FNV-1a of the owner in lower case and the type, mixed at the end so that all bits depend on all octets. */
function hashOf({ octets, ownerAt, type }: OwnerKey, seed: number): number {
  let hash = seed ^ type
  const end = nameEnd(octets, ownerAt)
  for (let at = ownerAt; at < end; at += 1) {
    hash = hashStep(hash, lowerCaseOctet(octets[at] as number))
  }
  return finishHash(hash)
}
