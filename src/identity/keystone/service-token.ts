import type { Clock } from '../../clock.ts'
import { askKeystone } from './http.ts'
import { KeystoneFailure } from './keystone-failure.ts'
import { parseToken } from './token-response.ts'

/** The account that validates tokens. */
export type KeystoneAccount = {
  readonly user: string
  readonly password: string
  readonly project: string
  /** Of both user and project. */
  readonly domain: string
}

type ServiceTokenOptions = {
  readonly clock: Clock
  /** With the version. */
  readonly url: string
  readonly account: KeystoneAccount
}

/** A token is no longer used this long before it expires: it must still be valid when it arrives. */
const marginMillis = 60_000

/** The token for validating other tokens; requested when it is needed. */
export class ServiceToken {
  readonly #options: ServiceTokenOptions
  #current: { readonly token: string; readonly untilMillis: number } | undefined
  #login: Promise<string> | undefined

  constructor(options: ServiceTokenOptions) {
    this.#options = options
  }

  /** @throws KeystoneFailure */
  get(): Promise<string> {
    const { token, untilMillis = 0 } = this.#current ?? {}
    if (token !== undefined && this.#options.clock.nowMillis() < untilMillis)
      return Promise.resolve(token)
    this.#login ??= this.#logIn().finally(() => {
      this.#login = undefined
    })
    return this.#login
  }

  /** Drops a token that Keystone no longer accepts. */
  forget(token: string): void {
    if (this.#current?.token === token) this.#current = undefined
  }

  async #logIn(): Promise<string> {
    const { url, account } = this.#options
    const answer = await askKeystone({
      method: 'POST',
      url: `${url}/auth/tokens?nocatalog`,
      headers: {},
      body: loginBody(account),
    })
    const token = answer.headers.get('x-subject-token')
    if (answer.status !== 201 || token === null)
      throw new KeystoneFailure(`the login of ${account.user} was answered with ${answer.status}`)
    const { expiresAtMillis } = parseToken(answer.text)
    this.#current = { token, untilMillis: expiresAtMillis - marginMillis }
    return token
  }
}

function loginBody({ user, password, project, domain }: KeystoneAccount): object {
  return {
    auth: {
      identity: {
        methods: ['password'],
        password: { user: { name: user, domain: { name: domain }, password } },
      },
      scope: { project: { name: project, domain: { name: domain } } },
    },
  }
}
