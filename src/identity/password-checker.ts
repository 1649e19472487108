import { createHmac, randomBytes } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { ApiError } from '../errors.ts'
import { FailureLimiter } from './failure-limiter.ts'
import { LruMap } from './lru-map.ts'
import type { PasswordHasher } from './password-hasher.ts'
import { networkOf } from './peer-network.ts'
import { tooManyRequests } from './too-many-requests.ts'

/** A row with a secret of its own: a user and its password, an application credential and its secret. */
export type SecretHolder = { readonly id: string; readonly secretHash: string }

/** One try to log in. */
export type PasswordAttempt = {
  /** Whose secret it should be, or undefined when the name is nobody's: costs the same and is refused. */
  readonly holder: SecretHolder | undefined
  /** What the client called the holder; failures are counted by it. */
  readonly account: string
  readonly password: string
  readonly peer: string
}

/** A success is believed again for this long, so that HTTP Basic does not cost a scrypt a request. */
const believedMillis = 5 * 60_000
const maxBelieved = 1_000

// An account is guessed at from one address at most 10 times at once and then every 10 seconds; all accounts
// together 100 times and then once a second. Other addresses are not locked out by it.
const accountLimit = { burst: 10, secondsPerFailure: 10 }
const peerLimit = { burst: 100, secondsPerFailure: 1 }

/** Checks passwords at a bounded cost: in time, in memory and in guesses. */
export class PasswordChecker {
  readonly #clock: Clock
  readonly #hasher: PasswordHasher
  readonly #accountFailures = new FailureLimiter(accountLimit)
  readonly #peerFailures = new FailureLimiter(peerLimit)
  // Digest of (holder, its hash, password) -> when it stops being believed. Keyed with a secret of this
  // process, and bound to the stored hash so that a changed password is forgotten at once.
  readonly #believedUntilMillis = new LruMap<string, number>(maxBelieved)
  readonly #believedKey = randomBytes(32)

  constructor(options: { readonly clock: Clock; readonly hasher: PasswordHasher }) {
    this.#clock = options.clock
    this.#hasher = options.hasher
  }

  /** Whether the password is the holder's.
   *  @throws ApiError too_many_requests: too many failures, or too many checks at once */
  async check({ holder, account, password, peer }: PasswordAttempt): Promise<boolean> {
    const digest = holder === undefined ? undefined : this.#digestOf(holder, password)
    if (digest !== undefined && this.#isBelieved(digest)) return true
    const keys = { peer: networkOf(peer), account: `${networkOf(peer)}\n${account.toLowerCase()}` }
    this.#charge(keys)
    let isMatch = false
    try {
      isMatch = await this.#hasher.verify(password, holder?.secretHash)
    } catch (error) {
      this.#refund(keys)
      throw error
    }
    if (isMatch) this.#refund(keys)
    if (isMatch && digest !== undefined)
      this.#believedUntilMillis.set(digest, this.#clock.nowMillis() + believedMillis)
    return isMatch
  }

  #charge(keys: LimitKeys): void {
    const nowMillis = this.#clock.nowMillis()
    const peerWaitSeconds = this.#peerFailures.charge(keys.peer, nowMillis)
    if (peerWaitSeconds > 0) throw tooMany(peerWaitSeconds)
    const accountWaitSeconds = this.#accountFailures.charge(keys.account, nowMillis)
    if (accountWaitSeconds === 0) return
    // Refused unseen, so nothing was guessed: one program with an old password must not lock its network out.
    this.#peerFailures.refund(keys.peer, nowMillis)
    throw tooMany(accountWaitSeconds)
  }

  #refund(keys: LimitKeys): void {
    const nowMillis = this.#clock.nowMillis()
    this.#peerFailures.refund(keys.peer, nowMillis)
    this.#accountFailures.refund(keys.account, nowMillis)
  }

  #digestOf(holder: SecretHolder, password: string): string {
    const hmac = createHmac('sha256', this.#believedKey)
    return hmac.update(`${holder.id}\n${holder.secretHash}\n${password}`).digest('base64')
  }

  #isBelieved(digest: string): boolean {
    const untilMillis = this.#believedUntilMillis.get(digest)
    return untilMillis !== undefined && this.#clock.nowMillis() < untilMillis
  }
}

function tooMany(waitSeconds: number): ApiError {
  return tooManyRequests('Too many failed logins', waitSeconds)
}

type LimitKeys = { readonly peer: string; readonly account: string }
