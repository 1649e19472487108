import { zone as zoneBlock } from '../zone/table/layout.ts'
import type { TableMemory } from '../zone/table/memory.ts'
import type { Request } from './request.ts'
import {
  control,
  entry,
  maxRequestOctets,
  maxResponseOctets,
  maxRules,
  ring,
  ringAt,
  ringOctets,
  rule,
  ruleWords,
  sampled,
} from './tap-layout.ts'

const addressOctetsMax = 16
const noZoneNumber = -1

/** A response, its time and its client. */
export type GivenResponse = {
  /** It begins with the response. */
  readonly response: Uint8Array
  readonly sentOctets: number
  readonly rcode: number
  /** Of `client`; 0 where it is not known. */
  readonly addressOctets: number
  readonly atMillis: number
}

/** Records in memory the answers of one thread that match a rule or a sample. Allocates nothing and never waits:
 *  entries without room are dropped and counted. */
export class QueryTap {
  /** The octets of the client's address. */
  readonly client = new Uint8Array(addressOctetsMax)
  readonly #words: Int32Array
  readonly #octets: Uint8Array
  readonly #doubles: Float64Array
  readonly #tableWords: Int32Array
  readonly #ringAt: number
  /** Queries passed over since the last sampled one, and the same by rule. */
  #unsampledCount = 0
  readonly #passedCounts = new Int32Array(maxRules)

  constructor(memory: SharedArrayBuffer, reader: number, { words }: TableMemory) {
    this.#words = new Int32Array(memory)
    this.#octets = new Uint8Array(memory)
    this.#doubles = new Float64Array(memory)
    this.#tableWords = words
    this.#ringAt = ringAt(reader)
  }

  /** Whether to look at this query; mostly not. */
  isDue(): boolean {
    if ((this.#words[control.ruleCount] as number) > 0) return true
    const sampledOf = this.#words[control.sampledOf] as number
    if (sampledOf === 0) return false
    if (this.#unsampledCount + 1 >= sampledOf) return true
    this.#unsampledCount += 1
    return false
  }

  /** Records a response, if it is wanted. */
  note(
    request: Request,
    { response, sentOctets, rcode, addressOctets, atMillis }: GivenResponse,
  ): void {
    const zoneNumber =
      request.zone === 0
        ? noZoneNumber
        : (this.#tableWords[request.zone + zoneBlock.number] as number)
    const rules = this.#rulesFor(zoneNumber, addressOctets)
    const isSampled = this.#isSampled()
    if (rules === 0 && !isSampled) return
    const requestOctets = Math.min(request.end, maxRequestOctets)
    // A sample only needs the question; a response that is too long is left out entirely.
    const responseOctets = rules === 0 || sentOctets > maxResponseOctets ? 0 : sentOctets
    const messageOctets = requestOctets + responseOctets
    const octets = (4 * entry.message + messageOctets + 7) & ~7
    const start = this.#reserve(octets)
    const words = this.#words
    const ringWord = this.#ringAt
    if (start < 0) {
      words[ringWord + ring.lostCount] = (words[ringWord + ring.lostCount] as number) + 1
      return
    }
    const at = ringWord + ring.entries + start / 4
    words[at + entry.octets] = octets
    words[at + entry.why] = isSampled ? rules | sampled : rules
    words[at + entry.transport] = request.transport === 'tcp' ? 1 : 0
    words[at + entry.zoneNumber] = zoneNumber
    words[at + entry.weight] = words[control.sampledOf] as number
    words[at + entry.rcode] = rcode
    words[at + entry.requestOctets] = requestOctets
    words[at + entry.responseOctets] = responseOctets
    words[at + entry.addressOctets] = addressOctets
    words[at + entry.sentOctets] = sentOctets
    this.#doubles[(at + entry.atMillis) / 2] = atMillis
    this.#copy(this.client, addressOctets, 4 * (at + entry.address))
    this.#copy(request.octets, requestOctets, 4 * (at + entry.message))
    this.#copy(response, responseOctets, 4 * (at + entry.message) + requestOctets)
    const end = start + octets
    Atomics.store(words, ringWord + ring.head, end === ringOctets ? 0 : end)
  }

  #isSampled(): boolean {
    const sampledOf = this.#words[control.sampledOf] as number
    this.#unsampledCount += 1
    if (sampledOf === 0 || this.#unsampledCount < sampledOf) return false
    this.#unsampledCount = 0
    return true
  }

  /** A bit for each matching rule. */
  #rulesFor(zoneNumber: number, addressOctets: number): number {
    const words = this.#words
    const count = Math.min(words[control.ruleCount] as number, maxRules)
    let wanting = 0
    for (let i = 0; i < count; i += 1) {
      const at = control.rules + i * ruleWords
      const ruleZone = words[at + rule.zoneNumber] as number
      if (ruleZone !== noZoneNumber && ruleZone !== zoneNumber) continue
      const ruleOctets = words[at + rule.addressOctets] as number
      if (ruleOctets !== 0 && (ruleOctets !== addressOctets || !this.#isIn(at))) continue
      const passedCount = (this.#passedCounts[i] as number) + 1
      const isDue = passedCount >= (words[at + rule.sampledOf] as number)
      this.#passedCounts[i] = isDue ? 0 : passedCount
      if (isDue) wanting |= 1 << i
    }
    return wanting
  }

  /** Whether the client is in the network of the rule at a word. */
  #isIn(at: number): boolean {
    let bits = this.#words[at + rule.bits] as number
    for (let i = 0; bits > 0; i += 1, bits -= 8) {
      const mask = bits >= 8 ? 0xff : 0xff & (0xff << (8 - bits))
      const octet = this.#octets[4 * (at + rule.address) + i] as number
      if ((octet & mask) !== ((this.client[i] as number) & mask)) return false
    }
    return true
  }

  /** Returns the position in the ring with room for an entry; -1 where there is none. The head never reaches the tail. */
  #reserve(octets: number): number {
    const words = this.#words
    const head = words[this.#ringAt + ring.head] as number
    const tail = Atomics.load(words, this.#ringAt + ring.tail)
    if (head < tail) return head + octets < tail ? head : -1
    const atEnd = ringOctets - head
    if (octets < atEnd || (octets === atEnd && tail > 0)) return head
    if (octets >= tail) return -1
    words[this.#ringAt + ring.entries + head / 4] = -1
    return 0
  }

  #copy(from: Uint8Array, count: number, to: number): void {
    const octets = this.#octets
    for (let i = 0; i < count; i += 1) octets[to + i] = from[i] as number
  }
}
