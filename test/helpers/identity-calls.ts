import { STATUS_CODES } from 'node:http'
import type { Test } from 'tap'
import type { Account } from '../../src/identity/accounts.ts'
import { ensureMember } from './accounts.ts'
import { startApi, type TestApi } from './api.ts'
import type { Answer, ApiClient } from './api-client.ts'

// The normal form of a test of the identity service: a sequence of calls with their expected responses.

export type Call = {
  /** The rule, as a sentence. */
  readonly rule: string
  /** `GET /projects`, below the service's version. */
  readonly call: string
  readonly body?: unknown
  readonly status: number
  /** What the body contains, possibly among other things. */
  readonly answer?: object
}

export type IdentityApi = TestApi & {
  /** A member of the project alpha, and its client. */
  readonly member: Account
  readonly memberClient: ApiClient
}

/** The API with one project, `alpha`, and one member in it besides the administrator. */
export async function startIdentityApi(t: Test): Promise<IdentityApi> {
  const api = await startApi(t)
  const member = await ensureMember(api.store, { project: 'alpha', role: 'member' })
  return { ...api, member, memberClient: await api.clientOf({ project: 'alpha' }) }
}

/** Makes one call. */
export function callIdentity(client: ApiClient, call: string, body?: unknown): Promise<Answer> {
  const [method = '', path = ''] = call.split(' ')
  return client.call(method, `/identity/v3${path}`, { body })
}

/** Makes the calls in order and compares the responses. Refusals must come in Keystone's envelope. */
export async function checkCalls(
  t: Test,
  client: ApiClient,
  calls: readonly Call[],
): Promise<void> {
  for (const { rule, call, body, status, answer } of calls) {
    const got = await callIdentity(client, call, body)
    t.equal(got.status, status, `${rule}: ${call} ${got.text}`)
    if (answer !== undefined) t.match(got.body, answer, rule)
    if (status === 204) t.equal(got.text, '', rule)
    if (status < 400 || call.startsWith('HEAD ')) continue
    const error = { code: status, title: STATUS_CODES[status], message: String }
    t.match(got.body, { error }, rule)
  }
}

/** Creates a resource and returns it, without its envelope.
 *  @throws Error it was refused */
export async function create(
  client: ApiClient,
  path: string,
  body: object,
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of any shape
): Promise<any> {
  const answer = await callIdentity(client, `POST ${path}`, body)
  if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${answer.text}`)
  return Object.values(answer.body)[0]
}
