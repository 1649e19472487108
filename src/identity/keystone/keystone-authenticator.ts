import { hash } from 'node:crypto'
import { clientOf } from '../../client-of.ts'
import type { Clock } from '../../clock.ts'
import { ApiError } from '../../errors.ts'
import { LruMap } from '../../lru-map.ts'
import { Semaphore } from '../../semaphore.ts'
import type { FixedAdministrator } from '../administrator.ts'
import { type Authenticator, type Credentials, refuseLogin } from '../authenticator.ts'
import type { Principal } from '../principal.ts'
import { CircuitBreaker, type CircuitChange, CircuitOpen } from './circuit-breaker.ts'
import { KeystoneClient } from './keystone-client.ts'
import { KeystoneFailure } from './keystone-failure.ts'
import type { KeystoneAccount } from './service-token.ts'
import type { RemoteToken } from './token-response.ts'

type KeystoneOptions = {
  readonly clock: Clock
  readonly url: string
  readonly account: KeystoneAccount | undefined
  /** The administrator who needs no account of Keystone. */
  readonly administrator: FixedAdministrator
  /** Called when Keystone stops answering, and when it answers again. */
  readonly onChange: (change: CircuitChange) => void
}

/** A token revoked at Keystone is accepted for at most this long. */
const believedMillis = 60_000
/** A token that Keystone does not know will still be unknown a moment later. */
const refusedMillis = 10_000
const maxRemembered = 10_000
/** Of requests to Keystone. Strangers can invent tokens, so a client gets only a part; there is no use in a longer queue. */
const limits = { maxRunning: 64, maxRunningPerKey: 16, maxWaiting: 256, maxWaitingPerKey: 48 }

const maxFailures = 5
const openMillis = 5_000

/** A token and until when Keystone need not be asked about it again. */
type Remembered = { readonly found: Principal | undefined; readonly untilMillis: number }

/** Authenticates requests by asking an external Keystone about their tokens. */
export class KeystoneAuthenticator implements Authenticator {
  readonly #clock: Clock
  readonly #administrator: FixedAdministrator
  readonly #client: KeystoneClient
  readonly #circuit: CircuitBreaker
  // By digest, so that the size of an entry does not depend on what strangers send.
  readonly #remembered = new LruMap<string, Remembered>(maxRemembered)
  readonly #asked = new Map<string, Promise<Remembered>>()
  readonly #turns = new Semaphore(limits)

  constructor({ clock, url, account, administrator, onChange }: KeystoneOptions) {
    this.#clock = clock
    this.#administrator = administrator
    this.#client = new KeystoneClient({ clock, url, account })
    this.#circuit = new CircuitBreaker({ clock, maxFailures, openMillis, onChange })
  }

  /** Only tokens are accepted: clients send passwords to Keystone, not to this server.
   *  @throws ApiError unauthorized, keystone_communication_failure */
  async authenticate(credentials: Credentials): Promise<Principal> {
    const { token, peer } = credentials
    const local = this.#administrator.findWithoutCredentials(credentials)
    if (local !== undefined) return local
    if (token === undefined) return refuseLogin()
    const found = this.#administrator.findByToken(token)
    return found ?? (await this.#find(token, peer)).found ?? refuseLogin()
  }

  async #find(token: string, peer: string): Promise<Remembered> {
    const key = hash('sha256', token, 'base64url')
    const remembered = this.#remembered.get(key)
    if (remembered !== undefined && this.#clock.nowMillis() < remembered.untilMillis)
      return remembered
    return this.#asked.get(key) ?? this.#ask(key, token, clientOf(peer))
  }

  /** Concurrent requests with the same token wait for the same answer. */
  #ask(key: string, token: string, client: string): Promise<Remembered> {
    if (!this.#turns.accepts(client)) throw unavailable('too many tokens are being validated', 1)
    const asked = this.#turns
      .run(client, () => this.#validate(token))
      .then(remembered => {
        this.#remembered.set(key, remembered)
        return remembered
      })
      .finally(() => this.#asked.delete(key))
    this.#asked.set(key, asked)
    return asked
  }

  async #validate(token: string): Promise<Remembered> {
    try {
      return this.#rememberedFor(await this.#circuit.run(() => this.#client.validate(token)))
    } catch (cause) {
      if (cause instanceof CircuitOpen)
        throw unavailable('it does not answer', cause.retryAfterSeconds, cause)
      if (cause instanceof KeystoneFailure) throw unavailable('it did not answer', 1, cause)
      throw cause
    }
  }

  #rememberedFor(found: RemoteToken | undefined): Remembered {
    const nowMillis = this.#clock.nowMillis()
    if (found === undefined || found.expiresAtMillis <= nowMillis)
      return { found: undefined, untilMillis: nowMillis + refusedMillis }
    const untilMillis = Math.min(found.expiresAtMillis, nowMillis + believedMillis)
    return { found: found.principal, untilMillis }
  }
}

function unavailable(reason: string, retryAfterSeconds: number, cause?: unknown): ApiError {
  const message = `The identity service cannot be asked about the token: ${reason}`
  return new ApiError('keystone_communication_failure', message, { retryAfterSeconds, cause })
}
