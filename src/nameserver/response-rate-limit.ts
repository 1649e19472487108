// Response rate limiting: an attacker who forges a victim's address so that servers answer it (reflection) gets few and
// short answers. It counts how often a client network gets the same answer, not how often it asks: a resolver that asks for
// different names is not limited. A fixed number of accounts is in memory that all answering threads share, so a client has
// one account however the kernel spreads its datagrams, and no flood creates more accounts.
//
// As in BIND, an account earns `perSecond` each second, never holds more than that, and can be overdrawn by the earnings of
// one window: a network that keeps asking gets nothing until it has been quieter for as long.

/** The handle of all threads that limit together. */
export type RateLimitHandle = RateLimitSettings & {
  readonly accounts: SharedArrayBuffer
  /** Two secret words: attackers choose what is hashed, and must not be able to choose collisions. */
  readonly hashStart: number
  readonly hashFactor: number
}

export type RateLimitSettings = {
  /** Responses of one content that one client network gets in a second. At least 1. */
  readonly perSecond: number
  /** How long a network that has asked too often for some time has to be quiet. */
  readonly windowSeconds: number
  /** Of the responses over the limit, one in so many is sent truncated, so that a real client retries over TCP; the
   *  others are dropped. 0: all are dropped. */
  readonly slip: number
  readonly exempt: readonly Network[]
}

/** All addresses that begin with the first `bits` of `octets`, which are 4 or 16. */
export type Network = { readonly octets: Uint8Array; readonly bits: number }

/** The verdict on a response. */
export const verdicts = { send: 0, truncate: 1, drop: 2 } as const

/** Words of an account: its tag, the second of the last response, its credit, and one unused word. */
const account = { tag: 0, second: 1, credit: 2 } as const
const accountShift = 2
/** Accounts that share a cache line, the only one that a response has to wait for. */
const setAccounts = 4
const setBits = 16
const setMask = 2 ** setBits - 1
/** 4 MiB for 262,144 accounts. */
const tableWords = (setAccounts << accountShift) << setBits

/** The sizes of networks that their owners assign and that forgers fill. */
const ipv4PrefixOctets = 3
const ipv6PrefixOctets = 7
const ipv4Octets = 4

/** Makes the accounts of a server.
 *  @param randomWord 32 random bits at each call */
export function createRateLimit(
  settings: RateLimitSettings,
  randomWord: () => number,
): RateLimitHandle {
  return {
    ...settings,
    accounts: new SharedArrayBuffer(tableWords * Int32Array.BYTES_PER_ELEMENT),
    hashStart: randomWord() | 0,
    hashFactor: randomWord() | 1,
  }
}

/** Limits the responses of one thread. Allocates nothing. */
export class ResponseRateLimit {
  readonly #settings: RateLimitHandle
  readonly #words: Int32Array
  readonly #minCredit: number

  constructor(handle: RateLimitHandle) {
    this.#settings = handle
    this.#words = new Int32Array(handle.accounts)
    this.#minCredit = -handle.perSecond * handle.windowSeconds
  }

  /** Returns one of `verdicts` for a response to the address in the first 4 or 16 octets of `client`.
   *  @param answer the answer's content as a number: equal for answers that are equal to a victim
   *  @param nowSeconds of a clock that all threads share */
  judge(client: Uint8Array, addressOctets: number, answer: number, nowSeconds: number): number {
    const { slip } = this.#settings
    const at = this.#find(this.#hash(client, addressOctets, answer) || 1, nowSeconds)
    this.#earn(at, nowSeconds)
    const credit = Atomics.sub(this.#words, at + account.credit, 1)
    if (credit > 0 || this.#isExempt(client, addressOctets)) return verdicts.send
    const excess = 1 - credit
    return slip > 0 && excess % slip === 0 ? verdicts.truncate : verdicts.drop
  }

  #hash(client: Uint8Array, addressOctets: number, answer: number): number {
    const { hashStart, hashFactor } = this.#settings
    const prefixOctets = addressOctets === ipv4Octets ? ipv4PrefixOctets : ipv6PrefixOctets
    let hash = hashStart ^ prefixOctets
    for (let i = 0; i < prefixOctets; i += 1) {
      hash = hashStep(hash, client[i] as number, hashFactor)
    }
    return hashStep(hash, answer, hashFactor)
  }

  /** Returns the account of this tag. Where there is none it takes over the account of its set that has been quiet
   *  longest, or has asked least: a limited network should stay limited. */
  #find(tag: number, nowSeconds: number): number {
    const words = this.#words
    const set = ((tag & setMask) * setAccounts) << accountShift
    let idlest = set
    for (let i = 0; i < setAccounts; i += 1) {
      const at = set + (i << accountShift)
      if (words[at + account.tag] === tag) return at
      const isIdler =
        (words[at + account.second] as number) < (words[idlest + account.second] as number) ||
        (words[at + account.second] === words[idlest + account.second] &&
          (words[at + account.credit] as number) > (words[idlest + account.credit] as number))
      if (isIdler) idlest = at
    }
    words[idlest + account.credit] = this.#settings.perSecond
    words[idlest + account.second] = nowSeconds
    words[idlest + account.tag] = tag
    return idlest
  }

  /** Of several threads, the one that advances the account's second adds the earnings. */
  #earn(at: number, nowSeconds: number): void {
    const words = this.#words
    const { perSecond, windowSeconds } = this.#settings
    const second = words[at + account.second] as number
    // Another thread may have begun its batch a moment later.
    if (nowSeconds <= second) return
    if (Atomics.compareExchange(words, at + account.second, second, nowSeconds) !== second) return
    const quietSeconds = Math.min(nowSeconds - second, windowSeconds + 1)
    const held = Math.max(words[at + account.credit] as number, this.#minCredit)
    const credit = Math.min(held + quietSeconds * perSecond, perSecond)
    Atomics.store(words, at + account.credit, credit)
  }

  #isExempt(client: Uint8Array, addressOctets: number): boolean {
    const { exempt } = this.#settings
    for (let i = 0; i < exempt.length; i += 1) {
      const network = exempt[i] as Network
      if (network.octets.length === addressOctets && isInNetwork(client, network)) return true
    }
    return false
  }
}

function isInNetwork(client: Uint8Array, { octets, bits }: Network): boolean {
  const whole = bits >>> 3
  for (let i = 0; i < whole; i += 1) if (client[i] !== octets[i]) return false
  const rest = bits & 7
  return rest === 0 || ((client[whole] as number) ^ (octets[whole] as number)) >>> (8 - rest) === 0
}

/** As the names of the zone table are hashed (`name-key.ts`), for the same reason. */
function hashStep(hash: number, value: number, factor: number): number {
  const product = Math.imul(hash ^ value, factor)
  return product ^ (product >>> 15)
}
