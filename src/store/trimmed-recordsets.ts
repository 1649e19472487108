import {
  isJson,
  ownerAtOf,
  ownerEndAt,
  packedPlaces,
  packedType,
  packedTypeOf,
} from '../model/packed-recordset.ts'
import type { PlacedRecordset } from '../model/recordset-run.ts'
import { uuidWords } from '../model/uuid-words.ts'
import { type Suffix, ZoneSuffixes } from './zone-suffixes.ts'

// A packed recordset as it is kept: without what all recordsets of its zone have in common. Instead of the zone's id it has
// a word, the zone's number in this process and below that a bit: whether of its owner only the labels in front of the
// zone's name are left, and the root behind them. A whole number of words is left out, or octets that are 0 fill up.
// One that is kept as JSON is left as it is.

/** Where the zone's number is, and what lies behind it in a packed recordset and in one that is trimmed. */
const zoneAt = packedPlaces.zoneId
const behindPacked = zoneAt + uuidWords
const behindTrimmed = zoneAt + 1
const idWordsLeftOut = uuidWords - 1
const typeMask = 0xffff
const soaType = packedTypeOf('SOA')

/** Trims recordsets and restores them. */
export class TrimmedRecordsets {
  readonly #zones = new ZoneSuffixes()
  /** Words that are left out of all recordsets together. */
  wordsLeftOut = 0
  readonly #trimmed = new Scratch()

  /** The form of a recordset to store, valid until the next is trimmed. The recordset is counted as stored. */
  trim(record: PlacedRecordset): PlacedRecordset {
    if (isJson(record)) return record
    const { words, octets, at, wordCount } = record
    const zone = this.#zones.enter(words, at + zoneAt)
    const ownerAt = ownerAtOf(record)
    const ownerEnd = ownerEndAt(octets, ownerAt)
    if (packedType(record) === soaType)
      this.#zones.nameOnce(zone, { octets, at: ownerAt, length: ownerEnd - ownerAt })
    const suffix = this.#zones.suffixOf(zone)
    const cutAt = endsWith(octets, { ownerAt, ownerEnd, suffix }) ? ownerEnd - suffix.length : -1
    const target = this.#trimmed.withRoom(wordCount)
    for (let i = 0; i < zoneAt; i += 1) target.words[i] = words[at + i] as number
    target.words[zoneAt] = 2 * zone + (cutAt < 0 ? 0 : 1)
    const leftOut = idWordsLeftOut + (cutAt < 0 ? 0 : wordsCut(suffix))
    const end = wordCount - leftOut
    if (cutAt < 0) {
      for (let i = behindTrimmed; i < end; i += 1)
        target.words[i] = words[at + i + leftOut] as number
    } else {
      const source = 4 * (at + idWordsLeftOut)
      for (let i = 4 * behindTrimmed; i < cutAt - source; i += 1)
        target.octets[i] = octets[source + i] as number
      const tailAt = ownerEnd - source - 4 * wordsCut(suffix)
      for (let i = cutAt - source; i < tailAt; i += 1) target.octets[i] = 0
      const tail = 4 * (at + leftOut)
      for (let i = tailAt; i < 4 * end; i += 1) target.octets[i] = octets[tail + i] as number
    }
    this.wordsLeftOut += leftOut
    target.wordCount = end
    return target
  }

  /** Counts out a recordset that is no longer stored. */
  release(trimmed: PlacedRecordset): void {
    if (isJson(trimmed)) return
    const zoneWord = trimmed.words[trimmed.at + zoneAt] as number
    this.wordsLeftOut -= this.#leftOut(zoneWord)
    this.#zones.leave(zoneWord >>> 1)
  }

  /** A recordset as it was before it was trimmed, in other memory if need be. */
  restore(trimmed: PlacedRecordset, into: Scratch): PlacedRecordset {
    if (isJson(trimmed)) return { ...trimmed }
    const { words, octets, at, wordCount } = trimmed
    const zoneWord = words[at + zoneAt] as number
    const leftOut = this.#leftOut(zoneWord)
    const target = into.withRoom(wordCount + leftOut)
    for (let i = 0; i < zoneAt; i += 1) target.words[i] = words[at + i] as number
    this.#zones.writeId(zoneWord >>> 1, target.words, zoneAt)
    if ((zoneWord & 1) === 0) {
      for (let i = behindTrimmed; i < wordCount; i += 1)
        target.words[i + leftOut] = words[at + i] as number
    } else {
      const suffix = this.#zones.suffixOf(zoneWord >>> 1)
      const cutAt = ownerEndAt(octets, ownerAtOf(trimmed, packedPlaces.end - idWordsLeftOut)) - 1
      const source = 4 * (at - idWordsLeftOut)
      const suffixAt = cutAt - source
      for (let i = 4 * behindPacked; i < suffixAt; i += 1)
        target.octets[i] = octets[source + i] as number
      for (let i = 0; i < suffix.length; i += 1)
        target.octets[suffixAt + i] = suffix.octets[suffix.at + i] as number
      const tail = 4 * (at - leftOut)
      for (let i = suffixAt + suffix.length; i < 4 * (wordCount + leftOut); i += 1)
        target.octets[i] = octets[tail + i] as number
    }
    return target
  }

  /** The id of a zone by its number (`trimmedZone`). */
  idOfZone(zone: number): string {
    return this.#zones.idOf(zone)
  }

  /** Words that are left out of a recordset. */
  #leftOut(zoneWord: number): number {
    const cut = (zoneWord & 1) === 0 ? 0 : wordsCut(this.#zones.suffixOf(zoneWord >>> 1))
    return idWordsLeftOut + cut
  }
}

/** The type of a trimmed recordset that is not kept as JSON. */
export function trimmedType({ words, at }: PlacedRecordset): number {
  return (words[at + packedPlaces.type - idWordsLeftOut] as number) & typeMask
}

/** The number, from 1 on, of the zone of a trimmed recordset that is not kept as JSON. */
export function trimmedZone({ words, at }: PlacedRecordset): number {
  return (words[at + zoneAt] as number) >>> 1
}

/** Whole words in the place of a suffix, whose last octet is left. */
function wordsCut({ length }: Suffix): number {
  return (length - 1) >> 2
}

/** Whether an owner ends with the labels of a name. */
function endsWith(
  owner: Uint8Array,
  {
    ownerAt,
    ownerEnd,
    suffix,
  }: { readonly ownerAt: number; readonly ownerEnd: number; readonly suffix: Suffix },
): boolean {
  const { octets, at, length } = suffix
  const suffixAt = ownerEnd - length
  if (length < 5 || suffixAt < ownerAt) return false
  for (let i = 0; i < length; i += 1) if (owner[suffixAt + i] !== octets[at + i]) return false
  let label = ownerAt
  while (label < suffixAt) label += 1 + (owner[label] as number)
  return label === suffixAt
}

/** Memory for one recordset after the other. */
export class Scratch implements PlacedRecordset {
  words = new Uint32Array(256)
  octets = Buffer.from(this.words.buffer)
  readonly at = 0
  wordCount = 0

  withRoom(wordCount: number): this {
    this.wordCount = wordCount
    if (wordCount > this.words.length) {
      this.words = new Uint32Array(2 * wordCount)
      this.octets = Buffer.from(this.words.buffer)
    }
    return this
  }
}
