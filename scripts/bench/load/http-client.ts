import { Agent, request } from 'node:http'

/** A client that keeps as many connections as it needs. Node's own `fetch` would cost more than either server. */
export class HttpClient {
  readonly #agent = new Agent({ keepAlive: true })
  readonly #url: string
  readonly #headers: Readonly<Record<string, string>>

  constructor(url: string, headers: Readonly<Record<string, string>>) {
    this.#url = url
    this.#headers = headers
  }

  /** A text is sent as a zone file, anything else as JSON.
   *  @throws Error the answer is no success. */
  call(method: string, path: string, body?: unknown): Promise<string> {
    const isFile = typeof body === 'string'
    const text = body === undefined || isFile ? body : JSON.stringify(body)
    const headers: Record<string, string | number> = { ...this.#headers }
    if (text !== undefined) {
      headers['content-type'] = isFile ? 'text/dns' : 'application/json'
      headers['content-length'] = Buffer.byteLength(text)
    }
    return new Promise((resolve, reject) => {
      const sent = request(this.#url + path, { method, agent: this.#agent, headers }, response => {
        const parts: Buffer[] = []
        response.on('data', part => parts.push(part))
        response.on('error', reject)
        response.on('end', () => {
          const { statusCode = 0 } = response
          const answer = Buffer.concat(parts).toString()
          if (statusCode < 300) resolve(answer)
          else reject(new Error(`${method} ${path}: ${statusCode} ${answer}`))
        })
      })
      sent.on('error', reject)
      sent.end(text)
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}
