import { hash, randomBytes } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import type { Clock } from '../clock.ts'
import { ApiError } from '../errors.ts'
import { LruMap } from '../lru-map.ts'
import type { SecondFactor, User } from '../model/identity.ts'
import { updatedRow } from '../model/stamped.ts'
import { type Store, StoreReadOnlyError, StoreUnavailableError } from '../store/store.ts'
import { refuseLogin } from './authenticator.ts'
import { requireSelfOrAdministrator } from './directory/access.ts'
import { requireRow } from './directory/rows.ts'
import { FailureLimiter, type Sharers } from './failure-limiter.ts'
import type { Principal } from './principal.ts'
import { tooManyRequests } from './too-many-requests.ts'

// The second factor of a user: passcodes of six digits that an app makes from a shared secret and the time (RFC 6238), and
// recovery codes, each good for one login, for when that app is lost.

/** What is shown of a user's second factor. */
type SecondFactorState = {
  readonly isEnabled: boolean
  readonly recoveryCodesLeft: number
}

const periodSeconds = 30
/** Passcodes of the previous and the next period are accepted too, for clocks that differ. */
const window = 1
const recoveryCodeCount = 8
/** RFC 4226, section 4: at least 128 bits, better 160. */
const minSecretOctets = 16
/** Counted by user, from any address, because a client that guesses here knows the password. */
const failureLimit = { burst: 5, secondsPerFailure: 60 }

/** Users whose passcodes are remembered while the store takes no changes. */
const maxRemembered = 10_000

/** Keeps and checks second factors. */
export class SecondFactors {
  readonly #store: Store
  readonly #clock: Clock
  readonly #failures: FailureLimiter
  /** The periods of the last passcodes that were used while the store took no changes, by user. */
  readonly #lastSteps = new LruMap<string, number>(maxRemembered)

  constructor({
    store,
    clock,
    sharers,
  }: {
    readonly store: Store
    readonly clock: Clock
    readonly sharers?: Sharers | undefined
  }) {
    this.#store = store
    this.#clock = clock
    this.#failures = new FailureLimiter(failureLimit, sharers)
  }

  /** @throws ApiError forbidden, not_found */
  stateOf(principal: Principal, userId: string): SecondFactorState {
    requireSelfOrAdministrator(principal, userId)
    const { secondFactor } = requireRow(this.#store, 'users', userId)
    return {
      isEnabled: secondFactor != null,
      recoveryCodesLeft: secondFactor?.recoveryHashes.length ?? 0,
    }
  }

  /** Makes logins of the principal require passcodes, after a passcode has proved that the app has the secret. Ends the existing
   *  tokens. Returns the recovery codes, which are not stored.
   *  @param secret base32
   *  @throws ApiError forbidden, bad_request: the secret, the passcode; conflict: there is one already */
  async enrol(
    principal: Principal,
    userId: string,
    { secret, passcode }: { readonly secret: string; readonly passcode: string },
  ): Promise<readonly string[]> {
    if (principal.user.id !== userId || principal.credential !== undefined)
      throw new ApiError('forbidden', 'A second factor is set up by its user, with a password')
    const step = this.#stepOf(requireSecret(secret), passcode)
    if (step === undefined)
      throw new ApiError('bad_request', 'The passcode does not fit; is the clock of the app right?')
    const codes = Array.from({ length: recoveryCodeCount }, newRecoveryCode)
    const recoveryHashes = codes.map(hashOf)
    await this.#store.commit(tx => {
      const user = requireRow(tx, 'users', userId)
      if (user.secondFactor != null)
        throw new ApiError('conflict', 'There is a second factor already')
      const secondFactor = { secret, lastStep: step, recoveryHashes }
      tx.put('users', updatedRow(tx, user, { secondFactor }))
    })
    return codes
  }

  /** Makes logins of a user require only the password.
   *  @throws ApiError forbidden, not_found */
  async remove(principal: Principal, userId: string): Promise<void> {
    requireSelfOrAdministrator(principal, userId)
    if (principal.credential !== undefined)
      throw new ApiError('forbidden', 'An application credential may not remove a second factor')
    await this.#store.commit(tx => {
      const user = requireRow(tx, 'users', userId)
      tx.put('users', updatedRow(tx, user, { secondFactor: null }))
    })
  }

  /** Uses up a passcode or a recovery code.
   *  @throws ApiError unauthorized, too_many_requests; StoreReadOnlyError, StoreUnavailableError: a recovery code */
  async requirePasscode({ id }: User, passcode: string): Promise<void> {
    const nowMillis = this.#clock.nowMillis()
    const waitSeconds = this.#failures.charge(id, nowMillis)
    if (waitSeconds > 0) throw tooManyRequests('Too many wrong passcodes', waitSeconds)
    let isUsed = true
    try {
      isUsed = await this.#useUp(id, passcode)
    } finally {
      if (isUsed) this.#failures.refund(id, nowMillis)
    }
    if (!isUsed) refuseLogin()
  }

  /** Returns whether the code was right. Where the store takes no changes, just when an administrator may have to log in, the use
   *  of a passcode is kept in memory: one that a restart forgets is soon too old. A recovery code never is, so it has to wait. */
  async #useUp(userId: string, passcode: string): Promise<boolean> {
    try {
      return await this.#store.commit(tx => {
        const user = tx.get('users', userId)
        const after = user && this.#usedUp(user, passcode)
        if (user === undefined || after === undefined) return false
        tx.put('users', updatedRow(tx, user, { secondFactor: after }))
        return true
      })
    } catch (error) {
      if (!(error instanceof StoreReadOnlyError || error instanceof StoreUnavailableError))
        throw error
      const user = this.#store.get('users', userId)
      const after = user && this.#usedUp(user, passcode)
      if (after === undefined) return false
      if (after.lastStep === user?.secondFactor?.lastStep) throw error
      this.#lastSteps.set(userId, after.lastStep)
      return true
    }
  }

  /** The factor after a code is used; undefined where the code is wrong or was used before (RFC 6238, section 5.2). */
  #usedUp({ id, secondFactor: factor }: User, passcode: string): SecondFactor | undefined {
    if (factor == null) return undefined
    const step = this.#stepOf(Secret.fromBase32(factor.secret), passcode)
    if (step !== undefined) {
      const lastStep = Math.max(factor.lastStep, this.#lastSteps.get(id) ?? 0)
      return step > lastStep ? { ...factor, lastStep: step } : undefined
    }
    const used = hashOf(passcode)
    const recoveryHashes = factor.recoveryHashes.filter(one => one !== used)
    return recoveryHashes.length < factor.recoveryHashes.length
      ? { ...factor, recoveryHashes }
      : undefined
  }

  /** The period of a passcode. */
  #stepOf(secret: Secret, passcode: string): number | undefined {
    const token = passcode.replaceAll(/\s/g, '')
    if (!/^\d{6}$/.test(token)) return undefined
    const timestamp = this.#clock.nowMillis()
    const delta = new TOTP({ secret, period: periodSeconds }).validate({ token, timestamp, window })
    if (delta === null) return undefined
    return Math.floor(timestamp / 1000 / periodSeconds) + delta
  }
}

function requireSecret(text: string): Secret {
  const secret = /^[A-Z2-7]+$/.test(text) ? Secret.fromBase32(text) : undefined
  if (secret !== undefined && secret.bytes.length >= minSecretOctets) return secret
  throw new ApiError('bad_request', `The secret is not base32 of ${minSecretOctets} octets or more`)
}

/** 32 of them, none of which is easily mistaken for another. */
const recoveryLetters = 'abcdefghijkmnpqrstuvwxyz23456789'

/** 50 random bits in ten letters and digits. */
function newRecoveryCode(): string {
  const letters = Array.from(randomBytes(10), octet => recoveryLetters[octet % 32])
  return `${letters.slice(0, 5).join('')}-${letters.slice(5).join('')}`
}

function hashOf(code: string): string {
  return hash('sha256', code.toLowerCase().replaceAll(/[^a-z0-9]/g, ''), 'base64url')
}
