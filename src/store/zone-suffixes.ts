import { readUuid, uuidWords } from '../model/uuid-words.ts'
import { KeyTable } from './key-table.ts'
import { RecordPages } from './record-pages.ts'

// What all recordsets of a zone have in common, kept once for all of them: a record of words in pages.

const places = {
  id: 0,
  recordsetCount: uuidWords,
  octetCount: uuidWords + 1,
  octets: uuidWords + 2,
}

/** Zones by numbers, as long as they have recordsets: the id of each, and the name that its owners end with. */
export class ZoneSuffixes {
  readonly #pages = new RecordPages()
  readonly #byId = new KeyTable(number => this.idOf(number))
  /** The zone looked up last, as words: most recordsets of a zone come together. */
  readonly #lastId = new Uint32Array(uuidWords)
  #last = 0
  #lastNamed: { readonly number: number; readonly id: string } | undefined
  readonly #suffix: { -readonly [P in keyof Suffix]: Suffix[P] } = {
    octets: new Uint8Array(),
    at: 0,
    length: 0,
  }
  readonly #scratch = new Uint32Array(places.octets + 64)
  readonly #scratchOctets = Buffer.from(this.#scratch.buffer)

  /** Counts a recordset of the zone whose id is at a place among words; returns the zone's number. */
  enter(words: Uint32Array, at: number): number {
    const number = this.#isLast(words, at) ? this.#last : this.#find(words, at)
    const zone = this.#zone(number)
    zone.words[zone.at + places.recordsetCount] =
      (zone.words[zone.at + places.recordsetCount] ?? 0) + 1
    return number
  }

  /** Counts out a recordset. The number of a zone without any is reused. */
  leave(number: number): void {
    const { words, at } = this.#zone(number)
    const count = (words[at + places.recordsetCount] as number) - 1
    words[at + places.recordsetCount] = count
    if (count > 0) return
    this.#byId.delete(this.idOf(number))
    this.#pages.delete(number)
    this.#last = 0
    this.#lastNamed = undefined
  }

  idOf(number: number): string {
    if (this.#lastNamed?.number === number) return this.#lastNamed.id
    const { words, at } = this.#zone(number)
    const id = readUuid(words, at + places.id)
    this.#lastNamed = { number, id }
    return id
  }

  /** Writes the id of a zone as words. */
  writeId(number: number, target: Uint32Array, targetAt: number): void {
    const { words, at } = this.#zone(number)
    for (let i = 0; i < uuidWords; i += 1) target[targetAt + i] = words[at + i] as number
  }

  /** The name that owners of the zone end with, uncompressed, valid until the next is requested or any changes; empty if it is not
   *  known. */
  suffixOf(number: number): Suffix {
    const { words, octets, at } = this.#zone(number)
    const suffix = this.#suffix
    suffix.octets = octets
    suffix.at = 4 * (at + places.octets)
    suffix.length = words[at + places.octetCount] as number
    return suffix
  }

  /** Sets the name that owners of a zone end with, unless it is set already. It does not change afterwards. */
  nameOnce(number: number, { octets, at, length }: Suffix): void {
    const { words, at: zoneAt } = this.#zone(number)
    if (words[zoneAt + places.octetCount] !== 0) return
    for (let i = 0; i < places.octets; i += 1) this.#scratch[i] = words[zoneAt + i] as number
    this.#scratch[places.octetCount] = length
    this.#scratchOctets.fill(0, 4 * places.octets)
    this.#scratchOctets.set(octets.subarray(at, at + length), 4 * places.octets)
    this.#pages.replace(number, this.#scratch, places.octets + ((length + 3) >> 2))
  }

  #isLast(words: Uint32Array, at: number): boolean {
    if (this.#last === 0) return false
    for (let i = 0; i < uuidWords; i += 1) if (words[at + i] !== this.#lastId[i]) return false
    return true
  }

  #find(words: Uint32Array, at: number): number {
    for (let i = 0; i < uuidWords; i += 1) this.#lastId[i] = words[at + i] as number
    const id = readUuid(words, at)
    let number = this.#byId.get(id)
    if (number === undefined) {
      this.#scratch.set(this.#lastId)
      this.#scratch.fill(0, uuidWords, places.octets)
      number = this.#pages.add(this.#scratch, places.octets)
      this.#byId.set(id, number)
    }
    this.#last = number
    return number
  }

  #zone(number: number) {
    const zone = this.#pages.get(number)
    if (zone === undefined) throw new Error(`no zone has the number ${number}`)
    return zone
  }
}

/** A name among octets. */
export type Suffix = {
  readonly octets: Uint8Array
  readonly at: number
  readonly length: number
}
