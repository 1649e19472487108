import type { Documented } from './documented.ts'

/** What the server answered. `body` is the parsed JSON, or undefined where there is none. */
export type Answer = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of any shape
  readonly body: any
}

export type CallOptions = {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** Calls the API with one set of headers, normally the credentials. */
export class ApiClient {
  readonly url: string
  /** Sent with each request. */
  readonly headers: Readonly<Record<string, string>>
  readonly #documented: (() => Documented) | undefined

  /** @param documented the document that responses must conform to */
  constructor(
    url: string,
    headers: Readonly<Record<string, string>> = {},
    documented?: () => Documented,
  ) {
    this.url = url
    this.headers = headers
    this.#documented = documented
  }

  /** The same client with additional or replaced headers. */
  with(headers: Readonly<Record<string, string>>): ApiClient {
    return new ApiClient(this.url, { ...this.headers, ...headers }, this.#documented)
  }

  get(path: string): Promise<Answer> {
    return this.call('GET', path)
  }

  post(path: string, body?: unknown): Promise<Answer> {
    return this.call('POST', path, { body })
  }

  put(path: string, body?: unknown): Promise<Answer> {
    return this.call('PUT', path, { body })
  }

  patch(path: string, body?: unknown): Promise<Answer> {
    return this.call('PATCH', path, { body })
  }

  delete(path: string): Promise<Answer> {
    return this.call('DELETE', path)
  }

  /** Sends a request. A body that is a string goes as it is, any other as JSON. An absolute URL may replace
   *  the path, so that links can be followed. */
  async call(method: string, path: string, { body, headers }: CallOptions = {}): Promise<Answer> {
    const response = await fetch(new URL(path, this.url), {
      method,
      redirect: 'manual',
      headers: {
        ...this.headers,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const { status, headers: answered } = response
    const isJson = answered.get('content-type') === 'application/json' && text !== ''
    const parsed = isJson ? JSON.parse(text) : undefined
    this.#requireDocumented(method, response, parsed)
    return { status, headers: answered, text, body: parsed }
  }

  /** @throws Error the response does not conform to the API's own document */
  #requireDocumented(method: string, { url, status, headers }: Response, body: unknown): void {
    const { origin, pathname } = new URL(url)
    if (this.#documented === undefined || origin !== new URL(this.url).origin) return
    const contentType = headers.get('content-type')
    const answered = { method, path: pathname, status, contentType, body }
    const problem = this.#documented().problemOf(answered)
    if (problem !== undefined) throw new Error(`${method} ${pathname}: ${problem}`)
  }
}
