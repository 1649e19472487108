import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'
import { listeningOn } from './listening-on.ts'

/** An OpenID provider that logs every visitor in as the user that the test sets. */
export type OpenidProvider = {
  readonly issuer: string
  /** The claims of the next token; a test sets the right or wrong values. */
  claims: Record<string, unknown>
  /** Whether the next tokens are signed by a key that is not published. */
  isForged: boolean
  /** Whether it fails, with a page of HTML as gateways do. */
  isAway: boolean
  /** Visits it as a browser does; resolves with the parameters of the redirect back. */
  visit(authorization: URL): Promise<URLSearchParams>
}

/** The request that a code was issued for. */
type Pending = { readonly nonce: string; readonly challenge: string; readonly redirect: string }

const clientId = 'zonewright'

/** Starts a provider until the test ends: authorization code with PKCE, tokens signed by RS256. */
export async function startOpenidProvider(t: Test): Promise<OpenidProvider> {
  const own = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const codes = new Map<string, Pending>()
  const server = createServer((request, response) => void answer(request, response))
  const issuer = `http://127.0.0.1:${await listeningOn(t, server)}`
  const provider: OpenidProvider = {
    issuer,
    claims: { sub: 'one', preferred_username: 'jo' },
    isForged: false,
    isAway: false,
    async visit(authorization) {
      const { headers } = await fetch(authorization, { redirect: 'manual' })
      return new URL(headers.get('location') ?? '').searchParams
    },
  }
  const tokenFor = ({ nonce }: Pending): string => {
    const now = Math.floor(Date.now() / 1000)
    const standard = { iss: issuer, aud: clientId, iat: now, exp: now + 300, nonce }
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const signed = `${encode({ alg: 'RS256', kid: 'k' })}.${encode({ ...standard, ...provider.claims })}`
    const { privateKey } = provider.isForged ? other : own
    return `${signed}.${sign('RSA-SHA256', Buffer.from(signed), privateKey).toString('base64url')}`
  }
  const authorize = ({ searchParams: asked }: URL, response: ServerResponse) => {
    const code = randomUUID()
    const redirect = asked.get('redirect_uri') ?? ''
    const challenge = asked.get('code_challenge') ?? ''
    codes.set(code, { nonce: asked.get('nonce') ?? '', challenge, redirect })
    const back = new URL(redirect)
    back.searchParams.set('code', code)
    back.searchParams.set('state', asked.get('state') ?? '')
    response.writeHead(302, { location: back.href }).end()
  }
  const exchange = (form: URLSearchParams, response: ServerResponse) => {
    const pending = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const verifier = form.get('code_verifier') ?? ''
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    const isGood = pending?.challenge === challenge && pending.redirect === form.get('redirect_uri')
    if (pending === undefined || !isGood) return json(response, 400, { error: 'invalid_grant' })
    json(response, 200, { access_token: 'a', token_type: 'Bearer', id_token: tokenFor(pending) })
  }
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', issuer)
    if (provider.isAway)
      return void response.writeHead(503, { 'content-type': 'text/html' }).end('<p>Away</p>')
    if (url.pathname === '/authorize') return authorize(url, response)
    if (url.pathname === '/token')
      return exchange(new URLSearchParams(await text(request)), response)
    if (url.pathname === '/keys') {
      const key = { ...own.publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'RS256', use: 'sig' }
      return json(response, 200, { keys: [key] })
    }
    json(response, 200, {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
    })
  }
  return provider
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
