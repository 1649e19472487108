import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { testNowMillis } from './clock.ts'

// A mock of an external Keystone, which returns the responses that the test sets.

/** What a request showed. */
export type KeystoneRequest = {
  /** `GET /v3/auth/tokens`, without query. */
  readonly call: string
  readonly bearer: string | undefined
  readonly subject: string | undefined
  // biome-ignore lint/suspicious/noExplicitAny: a body of any shape
  readonly body: any
}

export type KeystoneAnswer = {
  readonly status: number
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** Answers, or closes the connection without a response. */
export type KeystoneScript = (
  request: KeystoneRequest,
) => KeystoneAnswer | 'hang up' | Promise<KeystoneAnswer>

export type ScriptedKeystone = {
  readonly url: string
  readonly requests: readonly KeystoneRequest[]
  script: KeystoneScript
}

/** Serves on a free port until the test ends. */
export async function scriptedKeystone(t: Test, script: KeystoneScript): Promise<ScriptedKeystone> {
  const requests: KeystoneRequest[] = []
  const keystone = { url: '', requests, script }
  const server = createServer(async (request, response) => {
    const seen = await readRequest(request)
    requests.push(seen)
    send(response, await keystone.script(seen))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  keystone.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return keystone
}

/** A token as Keystone tells of it, of a member of the project alpha. */
export function tokenBody(changes: object = {}, lifetimeMillis = 3_600_000) {
  const domain = { id: 'default', name: 'Default' }
  const token = {
    methods: ['password'],
    user: { id: 'u1', name: 'jo', domain, password_expires_at: null },
    audit_ids: ['a'],
    expires_at: new Date(testNowMillis + lifetimeMillis).toISOString(),
    issued_at: new Date(testNowMillis).toISOString(),
    project: { id: 'alpha', name: 'alpha', domain },
    is_domain: false,
    roles: [{ id: 'r1', name: 'member' }],
  }
  return { token: { ...token, ...changes } }
}

async function readRequest(request: IncomingMessage): Promise<KeystoneRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString()
  const { 'x-auth-token': bearer, 'x-subject-token': subject } = request.headers
  return {
    call: `${request.method} ${request.url?.split('?')[0]}`,
    bearer: bearer?.toString(),
    subject: subject?.toString(),
    body: text === '' ? undefined : JSON.parse(text),
  }
}

function send(response: ServerResponse, answer: KeystoneAnswer | 'hang up'): void {
  if (answer === 'hang up') {
    response.destroy()
    return
  }
  const { status, body, headers } = answer
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}
