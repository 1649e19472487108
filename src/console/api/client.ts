import type { FieldRefusal } from '../records/edits.ts'
import { session, signedOut } from '../session.ts'
import { texts } from '../texts.ts'
import { reach } from './reach.ts'

/** A refusal of the server, in its own words. */
export class RefusalError extends Error {
  override readonly name = 'RefusalError'
  readonly status: number
  /** The catalogue's name of the refusal, such as `duplicate_zone`. */
  readonly type: string
  /** The errors in fields: each with the path of the field and a message. */
  readonly fields: readonly FieldRefusal[]

  constructor(status: number, { type, message, fields }: Refusal) {
    super(message)
    this.status = status
    this.type = type
    this.fields = fields
  }
}

type Refusal = {
  readonly type: string
  readonly message: string
  readonly fields: readonly FieldRefusal[]
}

/** A request of the API. */
export type Call = {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  /** Left out where undefined or empty. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  /** Sent as JSON; a string is sent unchanged, as `type`. */
  readonly body?: unknown
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** Sends a request with the session's token. If the session has ended, waits until its user has signed in again, and
 *  resends the request, so that no input is lost.
 *  @throws RefusalError */
export async function send(call: Call): Promise<Response> {
  for (;;) {
    const token = session.value?.token
    const response = await reach(urlOf(call), requestOf(call, token))
    if (response.ok) return response
    if (response.status === 401 && token !== undefined && (await hasEnded(token))) {
      await signedOut(token)
      continue
    }
    throw await refusalOf(response)
  }
}

/** Like `send`; resolves with the JSON of the response.
 *  @throws RefusalError */
export async function call<T>(request: Call): Promise<T> {
  const response = await send(request)
  const text = await response.text()
  return (text === '' ? undefined : JSON.parse(text)) as T
}

/** A single call may also be refused with 401 (a role without the right); only a check of the token tells whether it has ended. */
async function hasEnded(token: string): Promise<boolean> {
  const headers = { 'x-auth-token': token, 'x-subject-token': token }
  const response = await reach('/identity/v3/auth/tokens?nocatalog', { headers })
  return response.status === 401 || response.status === 404
}

/** A path with its query, without what is undefined or empty. */
export function urlOf({ path, query = {} }: Pick<Call, 'path' | 'query'>): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') parameters.set(name, String(value))
  }
  const text = parameters.toString()
  return text === '' ? path : `${path}?${text}`
}

function requestOf(request: Call, token: string | undefined): RequestInit {
  const { method = 'GET', body, type = 'application/json', headers, signal } = request
  return {
    method,
    headers: {
      accept: 'application/json, text/dns;q=0.9, */*;q=0.1',
      ...(token !== undefined && { 'x-auth-token': token }),
      ...(body !== undefined && { 'content-type': type }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
  }
}

async function refusalOf(response: Response): Promise<RefusalError> {
  const text = await response.text()
  return new RefusalError(response.status, readRefusal(text) ?? plainRefusal(response, text))
}

function plainRefusal({ status, statusText }: Response, text: string): Refusal {
  return { type: String(status), message: text.slice(0, 300) || statusText, fields: [] }
}

/** The API describes an error by `message`, or field by field; the identity service by `error.message`. */
function readRefusal(text: string): Refusal | undefined {
  let body: {
    type?: string
    message?: string
    error?: { message?: string; title?: string }
    errors?: { errors?: readonly FieldRefusal[] }
  }
  try {
    body = JSON.parse(text)
  } catch {
    return undefined
  }
  const fields = body.errors?.errors ?? []
  const message = body.message ?? body.error?.message ?? fields.map(said).join('; ')
  // Limits that are not quotas have other messages.
  const advice = message.startsWith('Quota exceeded') ? ` ${texts.common.overQuota}` : ''
  return { type: body.type ?? body.error?.title ?? '', message: message + advice, fields }
}

function said({ path, message }: FieldRefusal): string {
  return path.length === 0 ? message : `${path.join('.')}: ${message}`
}
