import { createHmac, hash, randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { clientOf } from '../client-of.ts'
import type { Clock } from '../clock.ts'
import type { ApiError } from '../errors.ts'
import { LruMap } from '../lru-map.ts'
import { FailureLimiter, type Sharers } from './failure-limiter.ts'
import type { PasswordHasher } from './password-hasher.ts'
import { tooManyRequests } from './too-many-requests.ts'

/** A row with a secret: a user with its password, an application credential with its secret. */
type SecretHolder = { readonly id: string; readonly secretHash: string }

/** One attempt to log in. */
export type PasswordAttempt = {
  /** The row that the secret should belong to, or undefined when there is none of that name: costs the same and is refused. */
  readonly holder: SecretHolder | undefined
  /** The holder as the client named it; failures are counted by it. */
  readonly account: string
  readonly password: string
  readonly peer: string
}

/** A success is cached for this long, so that HTTP Basic does not cost a scrypt per request. */
const believedMillis = 5 * 60_000
const maxBelieved = 1_000

// From one address, an account can be guessed at 10 times at once and then every 10 seconds; all accounts together 100 times
// and then once a second. Other addresses are not locked out by it.
const accountLimit = { burst: 10, secondsPerFailure: 10 }
const networkLimit = { burst: 100, secondsPerFailure: 1 }
/** Reserved for accounts without failures, so that an attacker at the same address locks out only the accounts that it guesses
 *  at. Names that do not exist do not use it up. */
const reservedLimit = { burst: 50, secondsPerFailure: 2 }
/** Once only the reserve is left, every refusal takes this long, so that it does not reveal whether the account exists. */
const refusalMillis = 1_000

/** Checks passwords at a bounded cost: in time, in memory and in guesses. */
export class PasswordChecker {
  readonly #clock: Clock
  readonly #hasher: PasswordHasher
  readonly #accountFailures: FailureLimiter
  readonly #networkFailures: FailureLimiter
  readonly #reservedFailures: FailureLimiter
  readonly #wait: (millis: number) => Promise<unknown>
  // Digest of (holder, its hash, password) -> when the entry expires. Keyed with a secret of this process, and bound to the
  // stored hash so that a changed password is forgotten at once.
  readonly #believedUntilMillis = new LruMap<string, number>(maxBelieved)
  readonly #believedKey = randomBytes(32)

  constructor(options: {
    readonly clock: Clock
    readonly hasher: PasswordHasher
    readonly sharers?: Sharers | undefined
    readonly wait?: (millis: number) => Promise<unknown>
  }) {
    this.#clock = options.clock
    const { sharers } = options
    this.#accountFailures = new FailureLimiter(accountLimit, sharers)
    this.#networkFailures = new FailureLimiter(networkLimit, sharers)
    this.#reservedFailures = new FailureLimiter(reservedLimit, sharers)
    this.#hasher = options.hasher
    this.#wait = options.wait ?? delay
  }

  /** Whether the password is the holder's.
   *  @throws ApiError too_many_requests: too many failures, or too many checks at once */
  async check({ holder, account, password, peer }: PasswordAttempt): Promise<boolean> {
    const digest = holder === undefined ? undefined : this.#digestOf(holder, password)
    if (digest !== undefined && this.#isBelieved(digest)) return true
    const network = clientOf(peer)
    // By digest, so that the size of an entry does not depend on what strangers send.
    const named = hash('sha256', `${network}\n${account.toLowerCase()}`, 'base64url')
    const keys = { network, account: named }
    const budget = this.#charge(keys, holder)
    if (budget.waitSeconds > 0) {
      await this.#wait(refusalMillis)
      throw tooMany(budget.waitSeconds)
    }
    const isMatch = await this.#verify({ holder, password, keys, budget })
    if (isMatch && digest !== undefined)
      this.#believedUntilMillis.set(digest, this.#clock.nowMillis() + believedMillis)
    if (isMatch || budget.limiter !== this.#reservedFailures) return isMatch
    await budget.refusalDue
    throw tooMany(reservedLimit.secondsPerFailure)
  }

  async #verify(attempt: {
    readonly holder: SecretHolder | undefined
    readonly password: string
    readonly keys: LimitKeys
    readonly budget: Budget
  }): Promise<boolean> {
    const { holder, password, keys, budget } = attempt
    const refund = () => {
      const nowMillis = this.#clock.nowMillis()
      budget.limiter.refund(keys.network, nowMillis)
      this.#accountFailures.refund(keys.account, nowMillis)
    }
    try {
      const secret = { stored: holder?.secretHash, network: keys.network }
      const isMatch = await this.#hasher.verify(password, secret)
      if (isMatch) refund()
      return isMatch
    } catch (error) {
      refund()
      throw error
    }
  }

  /** Charges an attempt to its account and to the remaining budget of its network.
   *  @throws ApiError too_many_requests: the account has no attempt left */
  #charge(keys: LimitKeys, holder: SecretHolder | undefined): Budget {
    const nowMillis = this.#clock.nowMillis()
    const hadFailures = this.#accountFailures.hasFailures(keys.account, nowMillis)
    // Refused unchecked, so nothing was guessed: one program with an old password must not lock its network out.
    const accountWaitSeconds = this.#accountFailures.charge(keys.account, nowMillis)
    if (accountWaitSeconds > 0) throw tooMany(accountWaitSeconds)
    const waitSeconds = this.#networkFailures.charge(keys.network, nowMillis)
    if (waitSeconds === 0) return { limiter: this.#networkFailures, waitSeconds: 0 }
    const isReserved = holder !== undefined && !hadFailures
    if (isReserved && this.#reservedFailures.charge(keys.network, nowMillis) === 0) {
      const refusalDue = this.#wait(refusalMillis)
      return { limiter: this.#reservedFailures, waitSeconds: 0, refusalDue }
    }
    this.#accountFailures.refund(keys.account, nowMillis)
    return { limiter: this.#networkFailures, waitSeconds }
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

type LimitKeys = { readonly network: string; readonly account: string }

/** The budget that an attempt was charged to. */
type Budget = {
  readonly limiter: FailureLimiter
  /** Not zero: it was not charged. */
  readonly waitSeconds: number
  /** When a failure may be answered. */
  readonly refusalDue?: Promise<unknown>
}
