import type { Clock } from '../../clock.ts'
import { askKeystone, type HttpAnswer } from './http.ts'
import { KeystoneFailure } from './keystone-failure.ts'
import { type KeystoneAccount, ServiceToken } from './service-token.ts'
import { parseToken, type RemoteToken } from './token-response.ts'

type KeystoneClientOptions = {
  readonly clock: Clock
  /** With or without the version. */
  readonly url: string
  /** The account that validates tokens; undefined: each token validates itself, as Keystone's policy allows. */
  readonly account: KeystoneAccount | undefined
}

/** Asks a Keystone for the owners of tokens. */
export class KeystoneClient {
  readonly #url: string
  readonly #serviceToken: ServiceToken | undefined

  constructor({ clock, url, account }: KeystoneClientOptions) {
    this.#url = `${url.replace(/\/+$/, '').replace(/\/v3$/, '')}/v3`
    if (account !== undefined)
      this.#serviceToken = new ServiceToken({ clock, url: this.#url, account })
  }

  /** Returns the owner of a token; undefined when Keystone does not accept it.
   *  @throws KeystoneFailure */
  async validate(token: string): Promise<RemoteToken | undefined> {
    const answer = await this.#ask(token)
    if (answer.status === 200) return parseToken(answer.text)
    // An invalid token that validates itself gets 401, any other 404.
    if (answer.status === 404 || answer.status === 401) return undefined
    const advice =
      answer.status === 403 && this.#serviceToken === undefined
        ? ': its policy does not let tokens validate themselves, so an account is needed'
        : ''
    throw new KeystoneFailure(`a token was answered with ${answer.status}${advice}`)
  }

  async #ask(token: string): Promise<HttpAnswer> {
    if (this.#serviceToken === undefined) return this.#askAs(token, token)
    const serviceToken = await this.#serviceToken.get()
    const answer = await this.#askAs(serviceToken, token)
    if (answer.status !== 401) return answer
    this.#serviceToken.forget(serviceToken)
    const again = await this.#askAs(await this.#serviceToken.get(), token)
    if (again.status === 401) throw new KeystoneFailure('it does not take its own service token')
    return again
  }

  #askAs(bearer: string, subject: string): Promise<HttpAnswer> {
    return askKeystone({
      method: 'GET',
      url: `${this.#url}/auth/tokens?nocatalog`,
      headers: { 'x-auth-token': bearer, 'x-subject-token': subject },
    })
  }
}
