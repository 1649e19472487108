import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../../../test/helpers/free-port.ts'
import { makeTestCertificate } from '../../../test/helpers/test-certificate.ts'

// One server in its own process and folder, pinned to one core, on a port of 127.0.0.1.

export const host = '127.0.0.1'
/** The token that the servers' APIs accept as their administrator's. */
export const apiToken = 'the-token-of-the-benchmark'

/** Where a server lives. */
export type Place = {
  readonly folder: string
  readonly port: number
  /** Where it should answer over TLS too, and with what; nowhere if left out. */
  readonly tls?: TlsPlace | undefined
}

export type TlsPlace = {
  readonly port: number
  readonly certificateFile: string
  readonly keyFile: string
}

/** The files to write into the folder, and the program to start. */
export type Recipe = {
  readonly files?: Readonly<Record<string, string>>
  readonly command: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
}

export type RunningOptions = {
  readonly name: string
  readonly core: number
  readonly recipe: (place: Place) => Recipe
  /** Whether it answers over TLS as well, where its recipe can. */
  readonly hasTls?: boolean
}

/** Linux counts processor time for `/proc` in hundredths of a second on every architecture. */
const tickSeconds = 0.01

export class RunningServer {
  readonly name: string
  readonly port: number
  readonly tlsPort: number | undefined
  readonly folder: string
  readonly #core: number
  readonly #recipe: Recipe
  #child: ChildProcess
  #output: string[] = []

  private constructor(
    { name, core }: RunningOptions,
    { folder, port, tls }: Place,
    recipe: Recipe,
  ) {
    this.name = name
    this.port = port
    this.tlsPort = tls?.port
    this.folder = folder
    this.#core = core
    this.#recipe = recipe
    this.#child = this.#spawn(String(core))
  }

  static async start(options: RunningOptions): Promise<RunningServer> {
    // Not in a folder of the benchmark's: a server may bind a socket in it, whose path has 107 characters at most.
    const folder = mkdtempSync(join(tmpdir(), `${options.name.replaceAll(' ', '-')}-`))
    const tls = options.hasTls ? await makeTlsPlace(folder) : undefined
    const place = { folder, port: await freePort(), tls }
    const recipe = options.recipe(place)
    for (const [file, text] of Object.entries(recipe.files ?? {}))
      writeFileSync(join(folder, file), text)
    return new RunningServer(options, place, recipe)
  }

  /** The end of the server's output. */
  get output(): string {
    return this.#output.join('')
  }

  /** Resolves once `isReady` is true.
   *  @throws Error the server has ended, or is not ready in time. */
  async untilReady(isReady: () => Promise<boolean>, { seconds = 60 } = {}): Promise<void> {
    for (const endAt = performance.now() + seconds * 1000; performance.now() < endAt; ) {
      if (await isReady()) return
      if (this.#child.exitCode !== null) break
      await delay(50)
    }
    throw new Error(`${this.name} is not ready:\n${this.output.slice(-2000)}`)
  }

  /** Resolves when the server has been nearly idle for a number of seconds: its pending writes are done. */
  async untilIdle(seconds: number): Promise<void> {
    for (let idleSeconds = 0; idleSeconds < seconds; ) {
      const before = this.cpuSeconds()
      await delay(1000)
      idleSeconds = this.cpuSeconds() - before > 0.05 ? 0 : idleSeconds + 1
    }
  }

  /** The processor time of the server and its children so far. */
  cpuSeconds(): number {
    return this.#processes().reduce((total, pid) => total + cpuSecondsOf(pid), 0)
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name)
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  /** Their resident memory now. */
  residentOctets(): number {
    return this.#processes().reduce((total, pid) => total + residentOctetsOf(pid), 0)
  }

  /** The most that the server itself has held. */
  peakOctets(): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'latin1')
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024
  }

  /** Ends the process, orderly or not, and starts it again on the data in its folder; on its core, or on others as
   *  `taskset` takes them. */
  async restart({
    signal = 'SIGTERM',
    cores = String(this.#core),
  }: {
    readonly signal?: NodeJS.Signals
    readonly cores?: string
  } = {}): Promise<void> {
    await this.#end(signal)
    this.#output = []
    this.#child = this.#spawn(cores)
  }

  async stop(): Promise<void> {
    await this.#end()
    rmSync(this.folder, { recursive: true, force: true })
  }

  #spawn(cores: string): ChildProcess {
    const { command, environment = {} } = this.#recipe
    const child = spawn('taskset', ['--cpu-list', cores, ...command], {
      cwd: this.folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH, ...environment },
    })
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', text => {
        this.#output.push(String(text))
        if (this.#output.length > 200) this.#output.shift()
      })
    return child
  }

  async #end(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const exited = once(this.#child, 'exit')
    this.#child.kill(signal)
    await exited
  }

  #processes(): readonly number[] {
    const parents = new Map<number, number>()
    for (const entry of readdirSync('/proc')) {
      const fields = statOf(Number(entry))
      if (fields !== undefined) parents.set(Number(entry), Number(fields[1]))
    }
    const own = [this.#child.pid ?? 0]
    for (const pid of own)
      for (const [child, parent] of parents) if (parent === pid) own.push(child)
    return own
  }
}

async function makeTlsPlace(folder: string): Promise<TlsPlace> {
  const certificateFile = join(folder, 'cert.pem')
  const keyFile = join(folder, 'key.pem')
  const { certificate, key } = makeTestCertificate()
  writeFileSync(certificateFile, certificate)
  writeFileSync(keyFile, key)
  return { port: await freePort(), certificateFile, keyFile }
}

/** The fields of `/proc/PID/stat` behind the command's name, which may itself contain blanks. */
function statOf(pid: number): readonly string[] | undefined {
  if (!Number.isInteger(pid)) return undefined
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    // It has ended since its name was read.
    return undefined
  }
}

function cpuSecondsOf(pid: number): number {
  const fields = statOf(pid)
  return (Number(fields?.[11] ?? 0) + Number(fields?.[12] ?? 0)) * tickSeconds
}

function residentOctetsOf(pid: number): number {
  return Number(statOf(pid)?.[21] ?? 0) * 4096
}
