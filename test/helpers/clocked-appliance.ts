import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { adminToken, type Endpoint } from './appliance.ts'
import type { ClockedReply, ClockedRequest } from './clocked-main.ts'
import { programEnvironment } from './program-environment.ts'

const main = fileURLToPath(new URL('./clocked-main.ts', import.meta.url))

/** The whole server in a process of its own, on ports that the system picks, with a clock that stands still until
 *  the test sets it. Its jobs also run by the real clock, which must not affect the results. */
export class ClockedAppliance {
  readonly dns: Endpoint
  readonly apiPort: number
  readonly apiUrl: string
  readonly #child: ChildProcess
  #nowMillis: number

  private constructor(
    child: ChildProcess,
    { apiPort, dnsPort }: ClockedReply & { readonly kind: 'ready' },
    nowMillis: number,
  ) {
    this.#child = child
    this.apiPort = apiPort
    this.apiUrl = `http://127.0.0.1:${apiPort}`
    this.dns = { host: '127.0.0.1', port: dnsPort }
    this.#nowMillis = nowMillis
  }

  static async start(options: {
    readonly dataDirectory: string
    readonly nowMillis: number
    /** How far its clock may be off that of PostgreSQL; by default, any amount. */
    readonly maxClockOffSeconds?: number
    readonly environment?: Readonly<Record<string, string>>
  }): Promise<ClockedAppliance> {
    const { nowMillis, maxClockOffSeconds = Number.POSITIVE_INFINITY } = options
    const child = fork(main, [nowMillis, maxClockOffSeconds].map(String), {
      env: {
        ...programEnvironment,
        ZONEWRIGHT_DATA_DIR: options.dataDirectory,
        ZONEWRIGHT_API_LISTEN: '127.0.0.1:0',
        ZONEWRIGHT_DNS_LISTEN: '127.0.0.1:0',
        ZONEWRIGHT_ADMIN_TOKEN: adminToken,
        ...options.environment,
      },
    })
    const ready = await replyOf(child)
    if (ready.kind !== 'ready') throw new Error(`the server said ${ready.kind} first`)
    return new ClockedAppliance(child, ready, nowMillis)
  }

  /** What the server's clock shows. */
  get nowMillis(): number {
    return this.#nowMillis
  }

  /** Turns the clock; backwards where `millis` is negative. */
  async advance(millis: number): Promise<void> {
    await this.#ask({ kind: 'advance', millis })
    this.#nowMillis += millis
  }

  /** Runs a job and waits for its end. */
  run(job: string): Promise<void> {
    return this.#ask({ kind: 'run', job })
  }

  /** Calls the API as the administrator, in a given project, and returns the response, which must be a success. */
  async call<T>(
    method: string,
    path: string,
    { body, projectId }: { readonly body?: unknown; readonly projectId?: string } = {},
  ): Promise<T> {
    const response = await fetch(this.apiUrl + path, {
      method,
      headers: {
        'x-auth-token': adminToken,
        ...(projectId !== undefined && { 'x-auth-sudo-project-id': projectId }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
    return (isJson ? JSON.parse(text) : text) as T
  }

  /** Stops in order. */
  async stop(): Promise<void> {
    await this.#end(() => this.#child.disconnect())
  }

  /** Ends the process as a power button would. */
  async kill(): Promise<void> {
    await this.#end(() => this.#child.kill('SIGKILL'))
  }

  async #end(end: () => void): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const exited = once(this.#child, 'exit')
    end()
    await exited
  }

  async #ask(request: ClockedRequest): Promise<void> {
    const reply = replyOf(this.#child)
    this.#child.send(request)
    await reply
  }
}

async function replyOf(child: ChildProcess): Promise<ClockedReply> {
  const failed = new AbortController()
  const exited = once(child, 'exit', { signal: failed.signal }).then(([code]) => {
    throw new Error(`the server ended with ${code}`)
  })
  try {
    const [reply] = await Promise.race([once(child, 'message'), exited])
    return reply as ClockedReply
  } finally {
    exited.catch(() => undefined)
    failed.abort()
  }
}
