import type { Name } from '../../dns/name.ts'
import { cutShift, entry, inlineFlag, topFlag } from './layout.ts'
import { offsetInWindow, type TableMemory } from './memory.ts'
import { keyOctets, keyWords, type NameKey, nameOf } from './name-key.ts'
import type { TableStore } from './table-store.ts'

// Entries of the name index: nodes of zones and apexes of targets. Each has a name, a namespace that it belongs to,
// and a place in the circular list of all entries of that namespace. Of the name of a node below an apex, the whole words
// that end the apex's name are left to the apex.

type EntryInput = {
  readonly key: NameKey
  readonly label: number
  /** The node above the new one; or the namespace of a top. */
  readonly above: number
  readonly isTop: boolean
  /** Words to be left free behind the name. */
  readonly inlineWords?: number
}

/** Writes an entry for the name that begins with label `label` of the key. It is not published yet, and is a circular
 *  list of one. */
export function writeEntry(store: TableStore, input: EntryInput): number {
  const { key, label, above, isTop, inlineWords = 0 } = input
  const { words } = store
  const nameOctets = key.octetsFrom(label)
  const cut = isTop ? 0 : nameOctetsOf(words, topOf(words, above)) >> 2
  const nameWords = ((nameOctets + 3) >> 2) - cut
  const ref = store.allocate(evenWords(entry.name + nameWords) + inlineWords)
  const flags = (isTop ? topFlag : 0) | (inlineWords === 0 ? 0 : inlineFlag)
  words[ref + entry.shape] =
    nameOctets | ((key.labelCount - label) << 8) | flags | (cut << cutShift)
  words[ref + entry.above] = above
  words[ref + entry.data] = 0
  words[ref + entry.state] = 0
  words[ref + entry.next] = ref
  words[ref + entry.previous] = ref
  words[ref + entry.given] = 0
  // For so few words this is quicker than calls of `fill` and `set`.
  const nameAt = ref + entry.name
  const keyAt = keyWords - cut - nameWords
  for (let i = 0; i < nameWords; i += 1) words[nameAt + i] = key.words[keyAt + i] as number
  return ref
}

/** Where the part of an entry behind its name begins, if it has one. */
export function inlineAt(words: Int32Array, ref: number): number {
  return ref + evenWords(entry.name + nameWordsOf(words, ref))
}

/** Whether the block is a part of the entry. */
export function isInline(words: Int32Array, ref: number, block: number): boolean {
  const hasInline = ((words[ref + entry.shape] as number) & inlineFlag) !== 0
  return hasInline && block === inlineAt(words, ref)
}

/** Whether a node is that of its zone's apex. */
export function isApex(words: Int32Array, node: number): boolean {
  return ((words[node + entry.shape] as number) & topFlag) !== 0
}

/** The node above, whose name has one label less; 0 for the apex. */
export function nodeAbove(words: Int32Array, node: number): number {
  return isApex(words, node) ? 0 : (words[node + entry.above] as number)
}

/** The apex that the entry is or is below. */
export function topOf(words: Int32Array, ref: number): number {
  let top = ref
  while (((words[top + entry.shape] as number) & topFlag) === 0)
    top = words[top + entry.above] as number
  return top
}

/** The zone of a node. */
export function zoneOf(words: Int32Array, node: number): number {
  return words[topOf(words, node) + entry.above] as number
}

/** Words of the end of the entry's name that only its apex has. */
function cutWordsOf(words: Int32Array, ref: number): number {
  return (words[ref + entry.shape] as number) >>> cutShift
}

/** Words of the name that the entry itself has. */
function nameWordsOf(words: Int32Array, ref: number): number {
  return ((nameOctetsOf(words, ref) + 3) >> 2) - cutWordsOf(words, ref)
}

/** Octets of the entry's name. */
export function nameOctetsOf(words: Int32Array, ref: number): number {
  return (words[ref + entry.shape] as number) & 0xff
}

/** Labels of the entry's name, without the root. */
export function labelCountOf(words: Int32Array, ref: number): number {
  return ((words[ref + entry.shape] as number) >>> 8) & 0xff
}

/** Returns the entry's name in lower case. */
export function nameOfEntry(memory: TableMemory, ref: number): Name {
  copyNameWords(memory.words, ref, scratchWords)
  return nameOf(scratchOctets.subarray(keyOctets - nameOctetsOf(memory.words, ref)))
}

/** Where the entry's name begins in its window: all labels in front of the zone's name are there. */
export function nameOffset(words: Int32Array, ref: number): number {
  return offsetInWindow(ref + entry.name) + (-nameOctetsOf(words, ref) & 3)
}

/** Copies the words of the entry's name to the end of those of a key. */
function copyNameWords(words: Int32Array, ref: number, target: Int32Array): void {
  const cut = cutWordsOf(words, ref)
  const own = nameWordsOf(words, ref)
  const nameAt = ref + entry.name
  const at = keyWords - cut - own
  for (let i = 0; i < own; i += 1) target[at + i] = words[nameAt + i] as number
  if (cut === 0) return
  const end = nameEnd(words, topOf(words, ref))
  for (let i = 1; i <= cut; i += 1) target[keyWords - i] = words[end - i] as number
}

/** Behind the name of an apex, which has all of its words. */
export function nameEnd(words: Int32Array, top: number): number {
  return top + entry.name + ((nameOctetsOf(words, top) + 3) >> 2)
}

/** Returns the hash of the entry's name, using a key of the caller. */
export function hashOfEntry(memory: TableMemory, key: NameKey, ref: number): number {
  readEntryName(memory, key, ref)
  return key.hashFrom(0)
}

/** Returns the entry's name in the case it was given in last. */
export function givenNameOf(memory: TableMemory, ref: number): Name {
  const given = memory.words[ref + entry.given] as number
  if (given === 0) return nameOfEntry(memory, ref)
  const at = offsetInWindow(given)
  const end = at + nameOctetsOf(memory.words, ref)
  return nameOf(memory.windowOf(given).subarray(at, end))
}

/** Reads the entry's name into a key. */
export function readEntryName(memory: TableMemory, key: NameKey, ref: number): void {
  copyNameWords(memory.words, ref, key.words)
  key.readOctets(key.octets, keyOctets - nameOctetsOf(memory.words, ref), keyOctets)
}

/** Where the entry's name begins, in the case it was given in last, in the window of `givenBlock`: all labels in front of the
 *  zone's name are there. */
export function givenOffset(words: Int32Array, ref: number): number {
  const given = words[ref + entry.given] as number
  return given === 0 ? nameOffset(words, ref) : offsetInWindow(given)
}

/** The block that has the entry's name in the case it was given in last. */
export function givenBlock(words: Int32Array, ref: number): number {
  return (words[ref + entry.given] as number) || ref
}

/** Stores the case of a name that equals the entry's name except for case. */
export function giveName(store: TableStore, ref: number, octets: Uint8Array, at: number): void {
  const { memory, words } = store
  const length = nameOctetsOf(words, ref)
  const old = words[ref + entry.given] as number
  const isLowerCase = isOwnName(memory, ref, octets, at)
  if (isLowerCase && old === 0) return
  if (old !== 0) {
    const isGiven = isSame(memory.windowOf(old), offsetInWindow(old), { octets, at, length })
    if (isGiven) return
  }
  const given = isLowerCase ? 0 : writeGivenName(store, { octets, at, length })
  store.publish(ref + entry.given, given)
  if (old !== 0) store.retire(old)
}

/** Whether these octets are the entry's name. */
function isOwnName(memory: TableMemory, ref: number, octets: Uint8Array, at: number): boolean {
  const { words } = memory
  const length = nameOctetsOf(words, ref)
  const cutOctets = 4 * cutWordsOf(words, ref)
  const own = { octets, at, length: length - cutOctets }
  if (!isSame(memory.windowOf(ref), nameOffset(words, ref), own)) return false
  if (cutOctets === 0) return true
  const top = topOf(words, ref)
  const cut = { octets, at: at + own.length, length: cutOctets }
  return isSame(memory.windowOf(top), offsetInWindow(nameEnd(words, top)) - cutOctets, cut)
}

type NameOctets = { readonly octets: Uint8Array; readonly at: number; readonly length: number }

function isSame(octets: Uint8Array, at: number, name: NameOctets): boolean {
  for (let i = 0; i < name.length; i += 1) {
    if (octets[at + i] !== name.octets[name.at + i]) return false
  }
  return true
}

function writeGivenName(store: TableStore, name: NameOctets): number {
  const given = store.allocate((name.length + 3) >> 2)
  const octets = store.memory.windowOf(given)
  const at = offsetInWindow(given)
  for (let i = 0; i < name.length; i += 1) octets[at + i] = name.octets[name.at + i] as number
  return given
}

/** Puts a lone entry into the circular list of `other`. */
export function linkEntry(store: TableStore, ref: number, other: number): void {
  const { words } = store
  const next = words[other + entry.next] as number
  words[ref + entry.next] = next
  words[ref + entry.previous] = other
  store.write(other + entry.next, ref)
  store.write(next + entry.previous, ref)
}

/** Walks once around the circular list of an entry, starting with it; 0 is in no list. No entry may come or go before the walk
 *  ends. */
export function* entriesFrom(words: Int32Array, first: number): Generator<number> {
  if (first === 0) return
  let at = first
  do {
    yield at
    at = words[at + entry.next] as number
  } while (at !== first)
}

/** Removes an entry from its circular list and returns the next one: 0 where it was alone. */
export function unlinkEntry(store: TableStore, ref: number): number {
  const { words } = store
  const next = words[ref + entry.next] as number
  const previous = words[ref + entry.previous] as number
  store.write(previous + entry.next, next)
  store.write(next + entry.previous, previous)
  return next === ref ? 0 : next
}

/** Frees an entry that has left its index and its circular list, when no reader looks at it. */
export function retireEntry(store: TableStore, ref: number): void {
  const given = store.words[ref + entry.given] as number
  if (given !== 0) store.retire(given)
  store.retire(ref)
}

const scratchWords = new Int32Array(keyWords)
const scratchOctets = new Uint8Array(scratchWords.buffer)

function evenWords(wordCount: number): number {
  return (wordCount + 1) & ~1
}
