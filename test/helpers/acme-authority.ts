import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

// A certificate authority on loopback that hands out dns-01 challenges, over HTTP. It has as much of RFC 8555 as a
// client needs to meet them: it believes signatures, and never signs anything itself.

/** What somebody has to put into DNS (RFC 8555 section 8.4). */
export type DnsChallenge = {
  /** Absolute, such as `_acme-challenge.www.example.` */
  readonly recordName: string
  readonly digest: string
}

/** Whether a challenge has been met, decided when the client says that it has. */
export type Judge = (challenge: DnsChallenge) => Promise<boolean>

/** What the authority says of a challenge that has not been met. */
export const judgeRefusal = 'that is not the value'
/** What the authority says to everybody who has met all challenges. */
export const finalRefusal = 'this authority signs nothing'

type Status = 'pending' | 'valid' | 'invalid'
type Authorization = { readonly domain: string; readonly token: string; status: Status }
type Order = { readonly domains: readonly string[]; readonly authorizationIds: readonly number[] }
type Reply = {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object
}
type Signed = { readonly header: { readonly jwk?: Jwk }; readonly payload: unknown }
type Jwk = Readonly<Record<string, string>>

export class AcmeAuthority {
  readonly #server: Server
  readonly #judge: Judge
  readonly #authorizations: Authorization[] = []
  readonly #orders: Order[] = []
  #accountThumbprint = ''

  private constructor(judge: Judge) {
    this.#judge = judge
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch(error => response.destroy(error))
    })
  }

  static async start(t: Test, judge: Judge): Promise<AcmeAuthority> {
    const authority = new AcmeAuthority(judge)
    authority.#server.listen(0, '127.0.0.1')
    await once(authority.#server, 'listening')
    t.teardown(async () => {
      authority.#server.close()
      authority.#server.closeAllConnections()
      await once(authority.#server, 'close')
    })
    return authority
  }

  get directoryUrl(): string {
    return this.#url('/directory')
  }

  #url(path: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, resource = '', id = ''] = (request.url ?? '').split('/')
    const { status = 200, headers, body } = await this.#reply(resource, Number(id), request)
    const nonce = randomBytes(16).toString('base64url')
    const isProblem = status >= 400
    response.writeHead(status, {
      'replay-nonce': nonce,
      'content-type': isProblem ? 'application/problem+json' : 'application/json',
      ...headers,
    })
    response.end(body === undefined ? undefined : JSON.stringify(body))
  }

  async #reply(resource: string, id: number, request: IncomingMessage): Promise<Reply> {
    switch (resource) {
      case 'directory':
        return { body: this.#directory() }
      case 'new-nonce':
        return {}
      case 'new-account':
        return this.#newAccount(await signedBody(request))
      case 'new-order':
        return this.#newOrder(await signedBody(request))
      case 'authorization':
        return { body: this.#authorizationView(id) }
      case 'challenge':
        return this.#meetChallenge(id)
      case 'order':
        return { body: this.#orderView(id) }
      case 'finalize':
        return problem('unauthorized', finalRefusal)
      default:
        return problem('malformed', `no ${resource}`)
    }
  }

  #directory(): object {
    const resources = { newNonce: 'new-nonce', newAccount: 'new-account', newOrder: 'new-order' }
    const entries = Object.entries(resources).map(([name, path]) => [name, this.#url(`/${path}`)])
    return Object.fromEntries(entries)
  }

  #newAccount({ header }: Signed): Reply {
    this.#accountThumbprint = thumbprint(header.jwk ?? {})
    return {
      status: 201,
      headers: { location: this.#url('/account/0') },
      body: { status: 'valid' },
    }
  }

  #newOrder({ payload }: Signed): Reply {
    const { identifiers } = payload as { readonly identifiers: readonly { value: string }[] }
    const domains = identifiers.map(({ value }) => value)
    const authorizationIds = domains.map(domain => {
      const token = randomBytes(32).toString('base64url')
      return this.#authorizations.push({ domain, token, status: 'pending' }) - 1
    })
    const id = this.#orders.push({ domains, authorizationIds }) - 1
    return {
      status: 201,
      headers: { location: this.#url(`/order/${id}`) },
      body: this.#orderView(id),
    }
  }

  async #meetChallenge(id: number): Promise<Reply> {
    const authorization = this.#authorizations[id]
    if (authorization === undefined) return problem('malformed', `no challenge ${id}`)
    const { domain, token } = authorization
    const digest = createHash('sha256').update(`${token}.${this.#accountThumbprint}`)
    const isMet = await this.#judge({
      recordName: `_acme-challenge.${baseOf(domain)}.`,
      digest: digest.digest('base64url'),
    })
    authorization.status = isMet ? 'valid' : 'invalid'
    const up = `<${this.#url(`/authorization/${id}`)}>;rel="up"`
    return { headers: { link: up }, body: this.#challengeView(id) }
  }

  #orderView(id: number): object {
    const { domains = [], authorizationIds = [] } = this.#orders[id] ?? {}
    const isReady = authorizationIds.every(i => this.#authorizations[i]?.status === 'valid')
    return {
      status: isReady ? 'ready' : 'pending',
      identifiers: domains.map(value => ({ type: 'dns', value })),
      authorizations: authorizationIds.map(i => this.#url(`/authorization/${i}`)),
      finalize: this.#url(`/finalize/${id}`),
    }
  }

  #authorizationView(id: number): object {
    const { domain = '', status } = this.#authorizations[id] ?? {}
    return {
      status,
      identifier: { type: 'dns', value: baseOf(domain) },
      // RFC 8555 section 7.1.4: the identifier is without the asterisk, and this says that there was one.
      ...(domain !== baseOf(domain) && { wildcard: true }),
      challenges: [this.#challengeView(id)],
    }
  }

  #challengeView(id: number): object {
    const { token, status } = this.#authorizations[id] ?? {}
    const error = { type: 'urn:ietf:params:acme:error:unauthorized', detail: judgeRefusal }
    return {
      type: 'dns-01',
      url: this.#url(`/challenge/${id}`),
      token,
      status,
      ...(status === 'invalid' && { error }),
    }
  }
}

function baseOf(domain: string): string {
  return domain.replace(/^\*\./, '')
}

function problem(type: string, detail: string): Reply {
  return { status: 403, body: { type: `urn:ietf:params:acme:error:${type}`, detail } }
}

/** The body of a request, flattened JWS (RFC 8555 section 6.2); its payload is empty where the request only asks. */
async function signedBody(request: IncomingMessage): Promise<Signed> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const { protected: header, payload } = JSON.parse(Buffer.concat(chunks).toString())
  return { header: decode(header), payload: payload === '' ? undefined : decode(payload) }
}

// biome-ignore lint/suspicious/noExplicitAny: what a client sends is of any shape
function decode(part: string): any {
  return JSON.parse(Buffer.from(part, 'base64url').toString())
}

/** RFC 7638 section 3: the required members of an elliptic curve key, or of an RSA key, in order of their names. */
function thumbprint({ crv, kty, x, y, e, n }: Jwk): string {
  const members = kty === 'RSA' ? { e, kty, n } : { crv, kty, x, y }
  return createHash('sha256').update(JSON.stringify(members)).digest('base64url')
}
