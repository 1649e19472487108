import type { Configuration, IDToken } from 'openid-client'
import { clientOf } from '../../client-of.ts'
import type { Clock } from '../../clock.ts'
import { ApiError } from '../../errors.ts'
import type { User } from '../../model/identity.ts'
import { Semaphore } from '../../semaphore.ts'
import type { Store } from '../../store/store.ts'
import { refuseLogin } from '../authenticator.ts'
import { FailureLimiter, type Sharers } from '../failure-limiter.ts'
import type { PasswordHasher } from '../password-hasher.ts'
import { tooManyRequests } from '../too-many-requests.ts'
import { openidUserOf } from './openid-users.ts'

// Logins by an OpenID provider such as Keycloak: authorization code with PKCE (RFC 7636). A user goes to the provider and comes
// back with a code, which is exchanged here for the claims of the provider's token.

export type OpenidSettings = {
  /** Without a trailing slash. */
  readonly issuer: string
  readonly clientId: string
  /** Undefined: a public client. */
  readonly clientSecret: string | undefined
  /** The claim that lists `project:role`; dots may be part of its name, or lead into objects. */
  readonly rolesClaim: string
}

/** What a client needs to send a user to the provider. */
export type OpenidProvider = {
  readonly authorizationEndpoint: string
  readonly clientId: string
  readonly scope: string
}

/** What a user brings back from the provider. */
export type OpenidProof = {
  readonly code: string
  readonly codeVerifier: string
  readonly nonce: string
  /** The address that the provider sent the user to; the provider checks it. */
  readonly redirectUri: string
}

/** Loaded only where there is a provider. */
const library = () => import('openid-client')

const scope = 'openid profile email'
const timeoutSeconds = 5
/** Any client can invent codes, and each one costs a request to the provider. */
const failureLimit = { burst: 20, secondsPerFailure: 5 }
const questions = { maxRunning: 8, maxWaiting: 64 }

type OpenidLoginsOptions = {
  readonly store: Store
  readonly clock: Clock
  readonly hasher: PasswordHasher
  readonly settings: OpenidSettings
  readonly sharers?: Sharers | undefined
}

/** Exchanges codes of the provider for users. */
export class OpenidLogins {
  readonly #options: OpenidLoginsOptions
  readonly #failures: FailureLimiter
  readonly #questions = new Semaphore(questions)
  #configuration: Promise<Configuration> | undefined

  constructor(options: OpenidLoginsOptions) {
    this.#options = options
    this.#failures = new FailureLimiter(failureLimit, options.sharers)
  }

  /** @throws ApiError keystone_communication_failure */
  async provider(): Promise<OpenidProvider> {
    const endpoint = (await this.#configured()).serverMetadata().authorization_endpoint
    if (endpoint === undefined) throw unreachable(new Error('it names no authorization endpoint'))
    return { authorizationEndpoint: endpoint, clientId: this.#options.settings.clientId, scope }
  }

  /** Returns the user of a code. The user is created at the first login, and from then on has the roles of the claims.
   *  @throws ApiError unauthorized, too_many_requests, keystone_communication_failure, conflict */
  async prove(proof: OpenidProof, peer: string): Promise<User> {
    const nowMillis = this.#options.clock.nowMillis()
    const network = clientOf(peer)
    if (!this.#questions.accepts(network)) throw tooManyRequests('Too many logins at once', 1)
    const waitSeconds = this.#failures.charge(network, nowMillis)
    if (waitSeconds > 0) throw tooManyRequests('Too many failed logins', waitSeconds)
    const claims = await this.#questions
      .run(network, () => this.#exchange(proof))
      .catch((error: unknown) => {
        const isRefused = error instanceof ApiError && error.type === 'unauthorized'
        if (!isRefused) this.#failures.refund(network, nowMillis)
        throw error
      })
    this.#failures.refund(network, nowMillis)
    const { issuer, rolesClaim } = this.#options.settings
    return openidUserOf(this.#options.store, this.#options.hasher, { issuer, claims, rolesClaim })
  }

  async #exchange({ code, codeVerifier, nonce, redirectUri }: OpenidProof): Promise<IDToken> {
    const configuration = await this.#configured()
    const address = new URL(redirectUri)
    address.searchParams.set('code', code)
    const { issuer, authorization_response_iss_parameter_supported: saysIssuer } =
      configuration.serverMetadata()
    // There is only one provider, so no other can be confused with it (RFC 9207).
    if (saysIssuer === true) address.searchParams.set('iss', issuer)
    try {
      const checks = { pkceCodeVerifier: codeVerifier, expectedNonce: nonce, idTokenExpected: true }
      const { authorizationCodeGrant } = await library()
      const tokens = await authorizationCodeGrant(configuration, address, checks)
      return tokens.claims() ?? refuseLogin()
    } catch (error) {
      if (isUnreachable(error)) throw unreachable(error)
      return refuseLogin()
    }
  }

  /** The provider's metadata, fetched once, and again after a failure. */
  async #configured(): Promise<Configuration> {
    this.#configuration ??= this.#discover()
    try {
      return await this.#configuration
    } catch (error) {
      this.#configuration = undefined
      throw unreachable(error)
    }
  }

  async #discover(): Promise<Configuration> {
    const { allowInsecureRequests, discovery, enableNonRepudiationChecks } = await library()
    const { issuer, clientId, clientSecret } = this.#options.settings
    const url = new URL(issuer)
    // Signatures are checked even on responses that come directly from the provider, which TLS alone would authenticate.
    const execute = [enableNonRepudiationChecks]
    if (url.protocol === 'http:') execute.push(allowInsecureRequests)
    return discovery(url, clientId, clientSecret, undefined, { execute, timeout: timeoutSeconds })
  }
}

/** The provider could not be asked, failed itself, or something in front of it answered. */
function isUnreachable(error: unknown): boolean {
  const { name, code, status, cause } = error as ProviderError
  const isElsewhere = name === 'TypeError' || code === 'OAUTH_TIMEOUT'
  const answered = status ?? cause?.status ?? 0
  return isElsewhere || code === 'OAUTH_RESPONSE_IS_NOT_JSON' || answered >= 500
}

/** What errors of the library have in common; the cause may be the response. */
type ProviderError = {
  readonly name?: string
  readonly code?: string
  readonly status?: number
  readonly cause?: { readonly status?: number }
}

function unreachable(cause: unknown): ApiError {
  const message = 'The OpenID provider does not answer'
  return new ApiError('keystone_communication_failure', message, { cause, retryAfterSeconds: 5 })
}
