import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { nodesInPlace } from './nodes-in-place.ts'
import { programEnvironment } from './program-environment.ts'
import { TurningProxy } from './turning-proxy.ts'

// The real process, as a user runs it: src/main.ts on ports that the system picks, with the test's own data
// directory. Its addresses are read from its log, so no port is fixed and no wait depends on time.

export type Endpoint = { readonly host: string; readonly port: number }

export type ApplianceOptions = {
  readonly dataDirectory: string
  readonly environment?: Readonly<Record<string, string>>
  /** What runs the server, if not the sources on this Node. */
  readonly command?: readonly [program: string, ...words: string[]]
}

export const adminToken = 'the-fixed-token-of-the-tests'

export const mainFile = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

/** A running server: one process, or several nodes instead (`nodesInPlace`). The caller that starts it ends it, with `stop` or `kill`. */
export class Appliance {
  /** Where each process keeps its data. */
  readonly dataDirectories: readonly string[]
  readonly #processes: readonly ServerProcess[]
  readonly #proxy: TurningProxy | undefined
  #turn = 0
  readonly apiUrl: string

  private constructor(processes: readonly ServerProcess[], proxy?: TurningProxy) {
    this.#processes = processes
    this.dataDirectories = processes.map(({ dataDirectory }) => dataDirectory)
    this.#proxy = proxy
    this.apiUrl = proxy?.url ?? this.#next.ready.api
  }

  /** Starts the process and resolves once it reports that it serves.
   *  @throws Error it ended before; the message contains its output. */
  static async start(options: ApplianceOptions): Promise<Appliance> {
    const nodes = await nodesInPlace(options)
    if (nodes === undefined) return new Appliance([await startProcess(options)])
    const started = await Promise.allSettled(nodes.map(startProcess))
    const processes = started.flatMap(each => (each.status === 'fulfilled' ? [each.value] : []))
    const refused = started.find(each => each.status === 'rejected')
    if (refused !== undefined) {
      await Promise.all(processes.map(each => end(each, 'SIGKILL')))
      throw refused.reason
    }
    const urls = processes.map(({ ready }) => ready.api)
    return new Appliance(processes, await TurningProxy.open(urls, adminToken))
  }

  get #next(): ServerProcess {
    const found = this.#processes[this.#turn++ % this.#processes.length]
    if (found === undefined) throw new Error('there is no process')
    return found
  }

  get pid(): number | undefined {
    return this.#processes[0]?.child.pid
  }

  /** UDP and TCP, in the order configured: IPv4 loopback, then IPv6 loopback. With several nodes, a different one each time. */
  get dns(): readonly Endpoint[] {
    return this.#next.ready.dns
  }

  /** DNS over TLS, where the environment sets it. */
  get dnsTls(): readonly Endpoint[] {
    return this.#next.ready.dnsTls ?? []
  }

  /** DNS over HTTPS, likewise. */
  get dnsHttps(): readonly Endpoint[] {
    return this.#next.ready.dnsHttps ?? []
  }

  /** Its output before it served, warnings included. */
  get startLog(): string {
    return this.#processes.map(({ ready }) => ready.startLog).join('')
  }

  /** The loopback endpoint of a family. */
  endpoint(family: 4 | 6 = 4): Endpoint {
    const found = this.dns.find(({ host }) => host.includes(':') === (family === 6))
    if (found === undefined) throw new Error(`the server does not listen on IPv${family}`)
    return found
  }

  /** Calls the API as the administrator. */
  request(method: string, path: string, body?: unknown): Promise<Response> {
    return fetch(this.apiUrl + path, {
      method,
      headers: {
        'x-auth-token': adminToken,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  }

  /** Calls the API and returns the body of the response, which must be a success. */
  async json<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await this.request(method, path, body)
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return (text === '' ? undefined : JSON.parse(text)) as T
  }

  /** Removes the quotas of the administrator's project, for tests that are not about quotas. */
  async liftQuotas(): Promise<void> {
    const path = '/identity/v3/projects?name=admin'
    const { projects } = await this.json<{ projects: readonly { id: string }[] }>('GET', path)
    const unlimited = { zones: -1, zone_recordsets: -1, zone_records: -1, recordset_records: -1 }
    for (const { id } of projects)
      await this.json('PATCH', `/v2/quotas/${id}`, { ...unlimited, api_export_size: -1 })
  }

  /** Asks the process to end and resolves with its exit code; with several nodes, that of a failing one if any fails. */
  async stop(signal: 'SIGTERM' | 'SIGHUP' = 'SIGTERM'): Promise<number | null> {
    const codes = await this.#end(signal)
    return codes.find(code => code !== 0) ?? codes[0] ?? null
  }

  /** Ends the process as a power button would; does nothing if it has ended. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  async #end(signal: NodeJS.Signals): Promise<readonly (number | null)[]> {
    const codes = await Promise.all(this.#processes.map(each => end(each, signal)))
    await this.#proxy?.close()
    return codes
  }
}

type ServerProcess = {
  readonly dataDirectory: string
  readonly child: ChildProcess
  readonly exited: Promise<unknown>
  readonly ready: ReadyLine
  /** The last of its output. */
  readonly printed: readonly string[]
}

async function startProcess(options: ApplianceOptions): Promise<ServerProcess> {
  const [program, ...words] = options.command ?? [process.execPath, mainFile]
  const child = spawn(program, words, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...programEnvironment,
      ZONEWRIGHT_DATA_DIR: options.dataDirectory,
      ZONEWRIGHT_API_LISTEN: '127.0.0.1:0',
      ZONEWRIGHT_DNS_LISTEN: '127.0.0.1:0,[::1]:0',
      ZONEWRIGHT_ADMIN_TOKEN: adminToken,
      ...options.environment,
    },
  })
  const exited = once(child, 'exit')
  const { dataDirectory } = options
  const printed: string[] = []
  return { dataDirectory, child, exited, printed, ready: await readyLine(child, printed) }
}

async function end({ child, exited, printed }: ServerProcess, signal: NodeJS.Signals) {
  child.kill(signal)
  await exited
  if (child.exitCode === 1) console.error(printed.slice(-20).join(''))
  return child.exitCode
}

type ReadyLine = {
  readonly api: string
  readonly dns: readonly Endpoint[]
  readonly dnsTls?: readonly Endpoint[]
  readonly dnsHttps?: readonly Endpoint[]
  readonly startLog: string
}

/** @param printed is given what it prints */
async function readyLine(child: ChildProcess, printed: string[]): Promise<ReadyLine> {
  const { stdout, stderr } = child
  if (stdout === null || stderr === null) throw new Error('the process has no output')
  stderr.on('data', chunk => printed.push(String(chunk)))
  const lines = createInterface({ input: stdout })
  return new Promise((resolve, reject) => {
    lines.on('line', line => {
      printed.push(`${line}\n`)
      const event = parseLine(line)
      if (event?.msg === 'ready')
        resolve({ ...(event as unknown as ReadyLine), startLog: printed.join('') })
      // A long test must not collect a long log.
      if (printed.length > 200) printed.splice(0, 100)
    })
    child.once('exit', code =>
      reject(new Error(`the server ended with ${code}:\n${printed.join('')}`)),
    )
  })
}

function parseLine(line: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(line) as Record<string, unknown>
  } catch {
    return undefined
  }
}

/** Runs the program with only this environment until it exits, as it does when it refuses to start. */
export async function runToEnd(
  environment: Readonly<Record<string, string>>,
): Promise<{ readonly exitCode: number | null; readonly errors: string }> {
  const child = spawn(process.execPath, [mainFile], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...programEnvironment, ...environment },
  })
  let errors = ''
  child.stderr.on('data', chunk => {
    errors += chunk
  })
  const [exitCode] = await once(child, 'close')
  return { exitCode: exitCode as number | null, errors }
}
