import { once } from 'node:events'
import {
  Agent,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'

/** Sends each request to the next of several nodes. It responds when the other nodes have published everything
 *  acknowledged so far, so that a test may then query any node over DNS at once. */
export class TurningProxy {
  readonly #nodes: readonly string[]
  readonly #token: string
  readonly #agent = new Agent({ keepAlive: true })
  readonly #server: Server
  #turn = 0

  private constructor(nodes: readonly string[], token: string) {
    this.#nodes = nodes
    this.#token = token
    const pass = (message: IncomingMessage, response: ServerResponse) =>
      this.#pass(message, response)
    // The nodes have time limits of their own.
    const limits = { requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 }
    this.#server = createServer(limits, pass).on('checkContinue', pass)
  }

  /** @param token of the administrator */
  static async open(nodes: readonly string[], token: string): Promise<TurningProxy> {
    const proxy = new TurningProxy(nodes, token)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    this.#agent.destroy()
    if (!this.#server.listening) return
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #pass(message: IncomingMessage, response: ServerResponse): void {
    const node = this.#nodes[this.#turn++ % this.#nodes.length] ?? ''
    const { method = '', headers } = message
    const passed = request(node + (message.url ?? ''), { method, headers, agent: this.#agent })
    const giveUp = () => response.destroy()
    passed.on('continue', () => response.writeContinue())
    passed.on('error', giveUp)
    passed.on('response', async answer => {
      await this.published(node)
      response.writeHead(answer.statusCode ?? 0, answer.rawHeaders)
      response.flushHeaders()
      answer.on('error', giveUp).pipe(response)
    })
    response.on('close', () => passed.destroy())
    message.pipe(passed)
  }

  /** Resolves when all nodes, except perhaps one, answer what any node has acknowledged. A node that has ended is not waited for. */
  async published(node?: string): Promise<void> {
    const headers = { 'x-auth-token': this.#token }
    const others = this.#nodes.filter(each => each !== node)
    await Promise.allSettled(
      others.map(async other => (await fetch(`${other}/v2/nodes`, { headers })).arrayBuffer()),
    )
  }
}
