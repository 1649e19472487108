import { ClientError, exitCodes } from './client-error.ts'
import { parseJson } from './json-text.ts'

/** A server, and the caller's credentials. */
export type Server = {
  /** The base of `/v2`, `/identity` and `/rating`, without a trailing slash. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Designate's endpoint as the catalog of a login has it. */
  readonly designateUrl?: string
}

export type JsonObject = Readonly<Record<string, unknown>>

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

type RequestBody =
  | { readonly json: unknown }
  | { readonly text: string; readonly mediaType: string }

type ErrorBody = {
  readonly type?: string
  readonly message?: string
  readonly error?: { readonly message?: string }
  readonly errors?: { readonly errors?: readonly { path?: readonly string[]; message?: string }[] }
}

const requestTimeoutMs = 300_000

/** Sends requests to one server, and logs in with the first. Every method throws a ClientError if the server is unreachable or
 *  refuses. */
export class Session {
  readonly #find: () => Promise<Server>
  #found: Promise<Server> | undefined

  constructor(find: () => Promise<Server>) {
    this.#find = find
  }

  /** Logs in already before a request. */
  logIn(): Promise<Server> {
    this.#found ??= this.#find()
    return this.#found
  }

  get(path: string): Promise<JsonObject> {
    return this.json('GET', path)
  }

  /** The id of the calling user.
   *  @throws ClientError also where a token belongs to no user */
  async userId(): Promise<string> {
    return (await this.#token()).user.id
  }

  /** The id of the calling project. @throws ClientError */
  async projectId(): Promise<string> {
    return (await this.#token()).project.id
  }

  async #token(): Promise<{ readonly user: { id: string }; readonly project: { id: string } }> {
    const { headers } = await this.logIn()
    const subject = { 'x-subject-token': headers['x-auth-token'] ?? '' }
    const text = await this.text('GET', '/identity/v3/auth/tokens', undefined, subject)
    return JSON.parse(text).token
  }

  /** The JSON of a response; an empty object where it has none.
   *  @param json the body, without its fields that are undefined */
  async json(method: Method, path: string, json?: unknown): Promise<JsonObject> {
    const text = await this.text(method, path, json === undefined ? undefined : { json })
    return text === '' ? {} : (parseJson('the answer', text) as JsonObject)
  }

  /** The octets of a response as they arrive, without a timeout. */
  async *octets(path: string): AsyncGenerator<Uint8Array> {
    const { url, headers } = await this.logIn()
    const response = await reach(url, () => fetch(url + path, { headers }))
    if (!response.ok) throw refusal(response.status, await response.text(), path)
    try {
      yield* response.body ?? []
    } catch (cause) {
      throw new ClientError(`${url} has broken off`, exitCodes.unreachable, { cause })
    }
  }

  async text(
    method: Method,
    path: string,
    body?: RequestBody,
    others: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    const { url, headers } = await this.logIn()
    const response = await reach(url, () =>
      fetch(url + path, {
        method,
        headers: { ...headers, ...contentTypeOf(body), ...others },
        signal: AbortSignal.timeout(requestTimeoutMs),
        ...(body !== undefined && { body: 'json' in body ? JSON.stringify(body.json) : body.text }),
      }),
    )
    const text = await response.text()
    if (!response.ok) throw refusal(response.status, text, path)
    return text
  }

  /** All rows of a list, from all its pages, if it has several. Their links say only what to ask for: the address and its credentials stay those of
   *  this session, whatever address the server believes to have. */
  async list(path: string, key: string): Promise<readonly JsonObject[]> {
    const { url } = await this.logIn()
    const rows: JsonObject[] = []
    for (let next: string | undefined = path; next !== undefined; ) {
      const page: JsonObject = await this.get(next)
      rows.push(...((page[key] ?? []) as readonly JsonObject[]))
      const link = (page.links as { next?: string | null } | undefined)?.next ?? undefined
      next = link && path.replace(/\?.*/, '') + new URL(link, url).search
    }
    return rows
  }
}

/** The query of a path, from what is given of it. */
export function queryOf(given: Readonly<Record<string, string | undefined>>): URLSearchParams {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(given)) if (value !== undefined) query.set(name, value)
  return query
}

/** Sends a request to the server at `url`.
 *  @throws ClientError it does not answer */
export async function reach(url: string, ask: () => Promise<Response>): Promise<Response> {
  try {
    return await ask()
  } catch (cause) {
    const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
    const reason = inner instanceof Error ? inner.message : String(inner)
    const isRefused = (inner as NodeJS.ErrnoException).code === 'ECONNREFUSED'
    const remedy = isRefused ? '. Start it, or name another with --url' : ''
    throw new ClientError(`${url} does not answer: ${reason}${remedy}`, exitCodes.unreachable, {
      cause,
    })
  }
}

function contentTypeOf(body: RequestBody | undefined): Record<string, string> {
  if (body === undefined) return {}
  return { 'content-type': 'json' in body ? 'application/json' : body.mediaType }
}

/** The error in the server's words, with the fields it names, and advice that its words leave out. */
function refusal(status: number, text: string, path: string): ClientError {
  const exitCode = status === 401 || status === 403 ? exitCodes.notPermitted : exitCodes.refused
  const body = errorBodyOf(text)
  const message = (body && messageOf(body)) ?? `the server answers ${status}`
  const advice =
    status === 401
      ? ' The token or the login is not accepted.'
      : adviceOn(body?.type, message, path)
  return new ClientError(message + advice, exitCode)
}

function adviceOn(type: string | undefined, message: string, path: string): string {
  const [, zone] = /^\/v2\/zones\/([^/?]+)/.exec(path) ?? []
  if (type === 'zone_not_found' && zone !== undefined) return `: ${decodeURIComponent(zone)}`
  // Limits that are not quotas have other messages.
  const [, quotas] = /^Quota exceeded for ([\w, ]+)\.$/.exec(message) ?? []
  if (type !== 'over_quota' || quotas === undefined) return ''
  const words = quotas.split(', ').map(quota => `${quota}=-1`)
  return ` An administrator raises it, here to no limit: project quota <project> ${words.join(' ')}`
}

function errorBodyOf(text: string): ErrorBody | undefined {
  try {
    return JSON.parse(text) as ErrorBody
  } catch {
    return undefined
  }
}

function messageOf({ message, error, errors }: ErrorBody): string | undefined {
  const fields = (errors?.errors ?? []).map(
    ({ path = [], message }) => `${path.join('.') || 'the request'}: ${message}`,
  )
  return error?.message ?? message ?? (fields.join('; ') || undefined)
}
