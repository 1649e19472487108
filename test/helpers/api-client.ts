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

/** Calls the API with one set of headers, normally those that say who it is. */
export class ApiClient {
  readonly url: string
  /** Sent with each request. */
  readonly headers: Readonly<Record<string, string>>

  constructor(url: string, headers: Readonly<Record<string, string>> = {}) {
    this.url = url
    this.headers = headers
  }

  /** The same client with more headers, or with others in place of its own. */
  with(headers: Readonly<Record<string, string>>): ApiClient {
    return new ApiClient(this.url, { ...this.headers, ...headers })
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

  /** Sends a request. A body that is a string goes as it is, any other as JSON. An absolute URL may stand for
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
    return { status, headers: answered, text, body: isJson ? JSON.parse(text) : undefined }
  }
}
