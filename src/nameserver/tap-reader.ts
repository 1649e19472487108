import {
  control,
  entry,
  maxRules,
  ring,
  ringAt,
  ringOctets,
  rule,
  ruleWords,
  sampled,
} from './tap-layout.ts'

/** A rule for recording answers. */
export type TapRule = {
  /** Undefined for any zone. */
  readonly zoneNumber: number | undefined
  /** Undefined for any client. */
  readonly client: { readonly octets: Uint8Array; readonly bits: number } | undefined
  /** One in so many, 1 for all. */
  readonly sampledOf: number
}

/** A response that was given. Its octets are a copy. */
export type TappedQuery = {
  /** How many queries it represents as a sample; 0 where it is not a sample. */
  readonly weight: number
  /** A bit for each matching rule. */
  readonly rules: number
  readonly transport: 'udp' | 'tcp'
  readonly zoneNumber: number | undefined
  readonly rcode: number
  readonly atMillis: number
  /** 4 or 16, none where it is not known. */
  readonly client: Uint8Array
  readonly request: Uint8Array
  /** Empty where it was not wanted, or is too long. */
  readonly response: Uint8Array
  /** What the response had. */
  readonly sentOctets: number
}

/** The main thread's side of the taps: sets the rules, and takes the recorded responses. */
export class TapReader {
  readonly #words: Int32Array
  readonly #octets: Uint8Array
  readonly #doubles: Float64Array

  constructor(memory: SharedArrayBuffer) {
    this.#words = new Int32Array(memory)
    this.#octets = new Uint8Array(memory)
    this.#doubles = new Float64Array(memory)
  }

  /** One query in so many is sampled by each thread; 0: none. */
  set sampledOf(count: number) {
    this.#words[control.sampledOf] = count
  }

  get sampledOf(): number {
    return this.#words[control.sampledOf] as number
  }

  /** Rules that are in force from now on; the first `maxRules` of them. Queries in progress may be judged by a mixture
   *  of the old and new rules. */
  setRules(rules: readonly TapRule[]): void {
    const words = this.#words
    words[control.ruleCount] = 0
    for (const [i, { zoneNumber = -1, client, sampledOf }] of rules.slice(0, maxRules).entries()) {
      const at = control.rules + i * ruleWords
      words[at + rule.zoneNumber] = zoneNumber
      words[at + rule.addressOctets] = client?.octets.length ?? 0
      words[at + rule.bits] = client?.bits ?? 0
      words[at + rule.sampledOf] = sampledOf
      this.#octets.set(client?.octets ?? [], 4 * (at + rule.address))
    }
    words[control.ruleCount] = Math.min(rules.length, maxRules)
  }

  /** Responses of all readers below a number that could not be recorded for lack of room, since the start. */
  lostCount(readerCount: number): number {
    let count = 0
    for (let reader = 0; reader < readerCount; reader += 1)
      count += (this.#words[ringAt(reader) + ring.lostCount] as number) >>> 0
    return count
  }

  /** Takes the responses that a reader's thread has recorded so far. */
  *take(reader: number): Generator<TappedQuery> {
    const words = this.#words
    const ringWord = ringAt(reader)
    const head = Atomics.load(words, ringWord + ring.head)
    let tail = words[ringWord + ring.tail] as number
    while (tail !== head) {
      const at = ringWord + ring.entries + tail / 4
      const octets = words[at + entry.octets] as number
      if (octets < 0) tail = 0
      else {
        yield this.#entryAt(at)
        tail = tail + octets === ringOctets ? 0 : tail + octets
      }
      Atomics.store(words, ringWord + ring.tail, tail)
    }
  }

  #entryAt(at: number): TappedQuery {
    const words = this.#words
    const why = words[at + entry.why] as number
    const zoneNumber = words[at + entry.zoneNumber] as number
    const requestEnd = 4 * (at + entry.message) + (words[at + entry.requestOctets] as number)
    const addressAt = 4 * (at + entry.address)
    return {
      weight: (why & sampled) === 0 ? 0 : (words[at + entry.weight] as number),
      rules: why & (sampled - 1),
      transport: words[at + entry.transport] === 1 ? 'tcp' : 'udp',
      zoneNumber: zoneNumber < 0 ? undefined : zoneNumber,
      rcode: words[at + entry.rcode] as number,
      atMillis: this.#doubles[(at + entry.atMillis) / 2] as number,
      client: this.#octets.slice(
        addressAt,
        addressAt + (words[at + entry.addressOctets] as number),
      ),
      request: this.#octets.slice(4 * (at + entry.message), requestEnd),
      response: this.#octets.slice(
        requestEnd,
        requestEnd + (words[at + entry.responseOctets] as number),
      ),
      sentOctets: words[at + entry.sentOctets] as number,
    }
  }
}
