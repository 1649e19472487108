import { types } from '../../dns/codes.ts'
import { labelCountOf, nodeAbove } from './entries.ts'
import { KnownEnclosers } from './known-enclosers.ts'
import {
  barrierFlag,
  entry,
  hashWords,
  header,
  lineWords,
  nsec3Entry,
  rrset as rrsetBlock,
  signing,
  zone as zoneBlock,
} from './layout.ts'
import { offsetInWindow, type TableMemory } from './memory.ts'
import { keyOctets, NameKey } from './name-key.ts'
import { Nsec3Hash } from './nsec3-hash.ts'
import { HashOrder, NameOrder } from './order-index.ts'
import { findRrset, recordCountOf } from './rrset-block.ts'

/** How a zone denies names. */
export const denials = { none: 0, nsec: 1, nsec3: 2 } as const

/** Validators treat a zone with more as unsigned, or refuse it (RFC 9276 section 3.2). It bounds the cost of one question. */
export const maxIterations = 150
/** In a zone with several chains, all but one of which come or go, a search passes over at most so many entries of the
 *  others. */
const maxPassed = 64
const sha1 = 1
const star = 0x2a
/** Of NSEC3 and NSEC3PARAM: algorithm, flags, iterations, salt. */
const parameters = { flags: 1, iterations: 2, saltLength: 4, salt: 5 } as const

/** Finds the NSEC and NSEC3 that deny a name. It allocates nothing; its results are valid until the end of the batch. */
export class TableDenial {
  readonly #memory: TableMemory
  readonly #words: Int32Array
  readonly #names: NameOrder
  readonly #hashes: HashOrder
  readonly #hash = new Nsec3Hash()
  readonly #known = new KnownEnclosers()
  readonly #wanted = new Int32Array(hashWords)
  readonly #wildcardKey: NameKey
  readonly #wildcard = new Uint8Array(keyOctets)
  /** Written so that no compiler removes the reads as unused. */
  lastRead = 0
  #zone = 0
  /** The hash settings of the zone: the octets of its NSEC3PARAM, and where they begin. */
  readonly #settings = {
    salt: new Uint8Array() as Uint8Array,
    saltAt: 0,
    saltOctets: 0,
    iterations: 0,
  }
  #parametersAt = 0

  constructor(memory: TableMemory) {
    this.#memory = memory
    this.#words = memory.words
    this.#names = new NameOrder(memory)
    this.#hashes = new HashOrder(memory)
    this.#wildcardKey = new NameKey(memory)
  }

  /** Sets the zone that denies, and returns one of `denials`. */
  begin(zone: number): number {
    this.#zone = zone
    const words = this.#words
    const apex = words[zone + zoneBlock.apex] as number
    const data = words[apex + entry.data] as number
    const param = findRrset(words, data, types.NSEC3PARAM)
    if (param !== 0 && this.#readParameters(param)) {
      const changes = words[(words[zone + zoneBlock.signing] as number) + signing.changes] as number
      this.#known.begin(zone, changes, words[header.epoch] as number)
      return denials.nsec3
    }
    return findRrset(words, data, types.NSEC) === 0 ? denials.none : denials.nsec
  }

  /** Returns the node whose NSEC is about the key's name or covers it, or 0. */
  findNsec(key: NameKey): number {
    const words = this.#words
    const root = (words[this.#zone + zoneBlock.signing] as number) + signing.names
    this.#names.seek(this.#zone, key)
    const node = this.#names.floor(root)
    return node === 0 ? 0 : this.#highestBarrier(node)
  }

  /** Whether the NSEC in the apex's data, if there is one, denies `*` below the apex, as it does unless names sort before `*`. */
  deniesWildcard(data: number): boolean {
    const nsec = findRrset(this.#words, data, types.NSEC)
    if (nsec === 0) return false
    const octets = this.#memory.windowOf(nsec)
    const nextAt = offsetInWindow(nsec + rrsetBlock.rdatas) + 2
    let labelCount = 0
    for (let at = nextAt; octets[at] !== 0; at += 1 + (octets[at] as number)) labelCount += 1
    if (labelCount <= this.apexLabelCount) return true
    let at = nextAt
    for (let left = labelCount - this.apexLabelCount; left > 1; left -= 1) {
      at += 1 + (octets[at] as number)
    }
    const first = octets[at + 1] as number
    return first > star || (first === star && (octets[at] as number) > 1)
  }

  /** Returns the NSEC3 entry of the name that begins with label `label` of the key, or 0. */
  match(key: NameKey, label: number): number {
    const found = this.#find(key, label)
    return this.#isSought(found) ? found : 0
  }

  /** Returns the NSEC3 entry that covers the name that begins with label `label` of the key, or 0. */
  cover(key: NameKey, label: number): number {
    return this.#orLast(this.#find(key, label))
  }

  /** As `match`, for names that are asked about again and again. */
  matchEncloser(key: NameKey, label: number): number {
    const known = this.#known
    const slot = known.slotOf(key, label)
    if ((known.own[slot] as number) < 0) known.own[slot] = this.match(key, label)
    return known.own[slot] as number
  }

  /** Returns the NSEC3 entry of `*` below the name that begins with label `label` of the key, or 0. */
  matchWildcard(key: NameKey, label: number): number {
    const slot = this.#findWildcard(key, label)
    return this.#known.isOfWildcard[slot] === 1 ? (this.#known.wildcard[slot] as number) : 0
  }

  /** Returns the NSEC3 entry that covers `*` below the name that begins with label `label` of the key, or 0. */
  coverWildcard(key: NameKey, label: number): number {
    return this.#known.wildcard[this.#findWildcard(key, label)] as number
  }

  /** Returns a key of `*` below the name that begins with label `label` of the key, valid until the next call;
   *  undefined where the name would be too long. */
  wildcardBelow(key: NameKey, label: number): NameKey | undefined {
    const length = key.octetsFrom(label)
    const octets = this.#wildcard
    octets[0] = 1
    octets[1] = 0x2a
    for (let i = 0; i < length; i += 1) {
      octets[2 + i] = key.octets[keyOctets - length + i] as number
    }
    return this.#wildcardKey.readOctets(octets, 0, 2 + length) ? this.#wildcardKey : undefined
  }

  /** Makes the processor fetch an RRset of two cache lines, to be put later, while others are put. */
  prefetch(rrset: number): void {
    this.lastRead = (this.#words[rrset] as number) ^ (this.#words[rrset + lineWords] as number)
  }

  /** Labels of the zone's apex. */
  get apexLabelCount(): number {
    return labelCountOf(this.#words, this.#words[this.#zone + zoneBlock.apex] as number)
  }

  get #hashRoot(): number {
    return (this.#words[this.#zone + zoneBlock.signing] as number) + signing.hashes
  }

  /** Returns the slot of a name, in which the entry of `*` below it is known. */
  #findWildcard(key: NameKey, label: number): number {
    const known = this.#known
    const slot = known.slotOf(key, label)
    if ((known.wildcard[slot] as number) >= 0) return slot
    const wildcard = this.wildcardBelow(key, label)
    const found = wildcard === undefined ? 0 : this.#find(wildcard, 0)
    known.isOfWildcard[slot] = Number(this.#isSought(found))
    known.wildcard[slot] = wildcard === undefined ? 0 : this.#orLast(found)
    return slot
  }

  #isSought(found: number): boolean {
    return found !== 0 && this.#hashes.compare(found) === 0
  }

  /** The last entry covers the hashes before the first. */
  #orLast(found: number): number {
    if (found !== 0) return found
    const last = this.#hashes.last(this.#hashRoot)
    return last === 0 || this.#isOfChain(last) ? last : this.#passed(last)
  }

  /** Returns the last entry at the hash of a name or before it. */
  #find(key: NameKey, label: number): number {
    this.#hashName(key, keyOctets - key.octetsFrom(label))
    return this.#floor()
  }

  #hashName(key: NameKey, at: number): void {
    this.#hash.hash(key.octets, at, keyOctets, this.#settings)
    const { words } = this.#hash
    const { hash } = this.#hashes
    for (let i = 0; i < hashWords; i += 1) hash[i] = words[i] as number
  }

  /** The last entry of the zone's chain at or before the search key. */
  #floor(): number {
    const found = this.#hashes.floor(this.#hashRoot)
    return found === 0 || this.#isOfChain(found) ? found : this.#passed(found)
  }

  #passed(from: number): number {
    const wanted = this.#wanted
    wanted.set(this.#hashes.hash)
    let found = from
    for (let count = 0; count < maxPassed && found !== 0; count += 1) {
      this.#hashes.seek(found)
      found = this.#hashes.before(this.#hashRoot)
      if (found === 0 || this.#isOfChain(found)) break
    }
    this.#hashes.hash.set(wanted)
    return found !== 0 && this.#isOfChain(found) ? found : 0
  }

  /** Whether an entry has the parameters of the zone: a zone can have several chains (RFC 5155 section 7.3). */
  #isOfChain(found: number): boolean {
    const nsec3 = this.#words[found + nsec3Entry.rrset] as number
    if (nsec3 === 0) return false
    this.prefetch(this.#words[found + nsec3Entry.signature] as number)
    const octets = this.#memory.windowOf(nsec3)
    const at = offsetInWindow(nsec3 + rrsetBlock.rdatas) + 2
    const { salt, saltOctets } = this.#settings
    const own = this.#parametersAt
    const end = parameters.salt + saltOctets
    for (let i = 0; i < end; i += 1) {
      if (i !== parameters.flags && octets[at + i] !== salt[own + i]) return false
    }
    return true
  }

  /** RFC 5155 section 4: NSEC3PARAM with flags are not of a complete chain. Of several, the first usable one is used. */
  #readParameters(param: number): boolean {
    const octets = this.#memory.windowOf(param)
    let at = offsetInWindow(param + rrsetBlock.rdatas) + 2
    for (let left = recordCountOf(this.#words, param); left > 0; left -= 1) {
      const iterations =
        ((octets[at + parameters.iterations] as number) << 8) |
        (octets[at + parameters.iterations + 1] as number)
      const isKnown = octets[at] === sha1 && octets[at + parameters.flags] === 0
      if (isKnown && iterations <= maxIterations) {
        const settings = this.#settings
        this.#parametersAt = at
        settings.salt = octets
        settings.saltAt = at + parameters.salt
        settings.saltOctets = octets[at + parameters.saltLength] as number
        settings.iterations = iterations
        return true
      }
      at += parameters.salt + (octets[at + parameters.saltLength] as number) + 2
    }
    return false
  }

  /** Returns the highest node above this one that occludes it, or the node itself: occluded names are not in the chain. */
  #highestBarrier(node: number): number {
    const words = this.#words
    let highest = node
    for (let above = nodeAbove(words, node); above !== 0; ) {
      const parent = nodeAbove(words, above)
      if (((words[above + entry.state] as number) & barrierFlag) !== 0) {
        const data = words[above + entry.data] as number
        const isCut = parent !== 0 && findRrset(words, data, types.NS) !== 0
        if (isCut || findRrset(words, data, types.DNAME) !== 0) highest = above
      }
      above = parent
    }
    return highest
  }
}
