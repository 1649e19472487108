import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, chownSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from './free-port.ts'

// PostgreSQL clusters of the tests' own, on free ports of 127.0.0.1, each in its own folder. PostgreSQL refuses to run as
// root, so it runs as the user postgres where the tests are root. It must be installed.

export type PostgresOptions = {
  /** Settings beside the usual ones. */
  readonly settings?: Readonly<Record<string, string>>
  /** The folder of the data, such as a small disk; by default, a folder in the system's temporary folder. */
  readonly parent?: string
}

const maxStarts = 5
const patienceMs = 120_000
const lookEveryMs = 20
const isTaken = /address already in use/i

/** The settings of all clusters. A cluster that lives for one test needs little. */
const usualSettings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  shared_buffers: '32MB',
  max_connections: '60',
  wal_level: 'replica',
  max_wal_senders: '4',
  wal_keep_size: '64MB',
  wal_retrieve_retry_interval: '200ms',
  wal_log_hints: 'on',
  lc_messages: 'C',
}

/** A server. Ends with `close`, which also ends its standbys. */
export class Postgres {
  readonly port: number
  readonly folder: string
  readonly #standbys: Postgres[] = []
  #child: ChildProcess | undefined
  #ended: Promise<void> = Promise.resolve()
  #log = ''

  private constructor(folder: string, port: number) {
    this.folder = folder
    this.port = port
  }

  /** Starts a server of a new cluster. With `synchronous_standby_names` set, only `standby` may be called until the standby
   *  exists. */
  static async start(options: PostgresOptions = {}): Promise<Postgres> {
    return Postgres.#begin(options, async ({ data, options: { settings } }) => {
      const words = ['-D', data, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--locale=C.UTF-8']
      await run('initdb', [...words, '--no-sync'])
      write(data, { ...usualSettings, ...settings })
      appendFileSync(join(data, 'pg_hba.conf'), 'host replication all 127.0.0.1/32 trust\n')
    })
  }

  /** Starts a primary with a synchronous standby. */
  static async startPair(options: PostgresOptions = {}): Promise<Postgres> {
    const settings = { ...options.settings, synchronous_standby_names: 'ANY 1 (*)' }
    const primary = await Postgres.start({ ...options, settings })
    try {
      await primary.standby(options)
      return primary
    } catch (error) {
      await primary.close()
      throw error
    }
  }

  static async #begin(
    options: PostgresOptions,
    prepare: (place: { data: string; options: PostgresOptions }) => Promise<void>,
  ): Promise<Postgres> {
    for (let starts = 1; ; starts += 1) {
      const folder = mkdtempSync(join(options.parent ?? tmpdir(), 'postgres-'))
      const user = databaseUser()
      if (user !== undefined) chownSync(folder, user.uid, user.gid)
      const server = new Postgres(folder, await freePort())
      try {
        await prepare({ data: server.data, options })
        await server.restart()
        return server
      } catch (error) {
        await server.close()
        if (starts === maxStarts || !isTaken.test(server.log)) throw error
      }
    }
  }

  get data(): string {
    return join(this.folder, 'data')
  }

  /** Its output so far. */
  get log(): string {
    return this.#log
  }

  get url(): string {
    return this.urlOf('postgres')
  }

  urlOf(database: string): string {
    return `postgres://postgres@127.0.0.1:${this.port}/${database}`
  }

  /** Creates a database for another test on the same server.
   *  @returns its URL */
  async createDatabase(name: string): Promise<string> {
    await this.psql(`create database ${name}`)
    return this.urlOf(name)
  }

  /** Runs SQL as the superuser, as `psql`. */
  psql(sql: string, url = this.url): Promise<string> {
    return psql(sql, url)
  }

  /** Starts a standby of this server, and resolves when it follows. */
  async standby(options: PostgresOptions = {}): Promise<Postgres> {
    const standby = await Postgres.#begin(options, ({ data }) => this.#copyTo(data))
    this.#standbys.push(standby)
    await this.untilFollowed()
    return standby
  }

  /** Restarts it from scratch as the standby of another server, on the same port. */
  async follow(primary: Postgres): Promise<void> {
    await this.stop()
    rmSync(this.data, { recursive: true, force: true })
    await primary.#copyTo(this.data)
    await this.restart()
    await primary.untilFollowed()
  }

  async #copyTo(data: string): Promise<void> {
    const source = `host=127.0.0.1 port=${this.port} user=postgres application_name=standby`
    const how = ['-R', '-X', 'stream', '-c', 'fast', '--no-sync']
    await run('pg_basebackup', ['-D', data, '-d', source, ...how])
  }

  get standbys(): readonly Postgres[] {
    return this.#standbys
  }

  /** Resolves when a standby streams from this server. */
  async untilFollowed(): Promise<void> {
    await until(async () => {
      const count = await this.psql(
        `select count(*) from pg_stat_replication where state = 'streaming'`,
      )
      return count !== '0'
    })
  }

  /** Lets it acknowledge commits that no standby has. */
  async standAlone(): Promise<void> {
    await this.psql(`alter system set synchronous_standby_names = ''`)
    await this.psql('select pg_reload_conf()')
    await until(async () => (await this.psql('show synchronous_standby_names')) === '')
  }

  /** Makes a standby take writes. */
  async promote(): Promise<void> {
    await this.psql('select pg_promote(true, 60)')
  }

  /** Starts the process again, on the same data and port. */
  async restart(): Promise<void> {
    const words = [program('postgres'), '-D', this.data, '-p', String(this.port)]
    const [command = '', ...rest] = asDatabaseUser(words)
    // For sessions whose messages are not in the language of the locale C: `lc_messages` has to be set for their database.
    const env = { ...process.env, LANGUAGE: 'de' }
    const child = spawn(command, rest, { cwd: this.folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
    this.#child = child
    let isOver = false
    const from = this.#log.length
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', text => {
        this.#log += String(text)
      })
    this.#ended = once(child, 'close').then(
      () => {
        isOver = true
      },
      error => {
        isOver = true
        this.#log += String(error)
      },
    )
    await until(() => isOver || this.#log.slice(from).includes('ready to accept'))
    if (isOver) throw new Error(`PostgreSQL is not ready:\n${this.#log.slice(-2000)}`)
  }

  /** Stops it in an orderly way, without waiting for its clients. */
  async stop(): Promise<void> {
    this.#child?.kill('SIGCONT')
    this.#child?.kill('SIGINT')
    await this.#ended
  }

  /** Kills all its processes at once, as a power failure does. */
  async kill(): Promise<void> {
    for (const pid of [this.#child?.pid, ...this.#childPids()]) signal(pid, 'SIGKILL')
    await this.#ended
  }

  /** Stops the clock for all of its processes. */
  freeze(): void {
    for (const pid of [this.#child?.pid, ...this.#childPids()]) signal(pid, 'SIGSTOP')
  }

  thaw(): void {
    for (const pid of [...this.#childPids(), this.#child?.pid]) signal(pid, 'SIGCONT')
  }

  async close(): Promise<void> {
    for (const standby of this.#standbys) await standby.close()
    this.thaw()
    await this.stop()
    rmSync(this.folder, { recursive: true, force: true })
  }

  #childPids(): readonly number[] {
    const pid = this.#child?.pid
    if (pid === undefined) return []
    try {
      const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      return text.trim().split(' ').filter(Boolean).map(Number)
    } catch {
      return []
    }
  }
}

/** Runs SQL; returns what psql prints, without decoration. */
export async function psql(sql: string, url: string): Promise<string> {
  const words = ['--no-psqlrc', '--quiet', '--tuples-only', '--no-align', '--set=ON_ERROR_STOP=1']
  const child = spawn(program('psql'), [...words, '--command', sql, url])
  const output: string[] = []
  const problems: string[] = []
  child.stdout.on('data', text => output.push(String(text)))
  child.stderr.on('data', text => problems.push(String(text)))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`psql: ${problems.join('')}`)
  return output.join('').trim()
}

function signal(pid: number | undefined, name: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(pid, name)
  } catch {
    // It has ended.
  }
}

async function until(ask: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + patienceMs
  while (!(await ask())) {
    if (performance.now() > deadline) throw new Error('PostgreSQL takes too long')
    await delay(lookEveryMs)
  }
}

function write(data: string, settings: Readonly<Record<string, string>>): void {
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`)
  appendFileSync(join(data, 'postgresql.conf'), lines.join(''))
}

async function run(name: string, words: readonly string[]): Promise<void> {
  const [command = '', ...rest] = asDatabaseUser([program(name), ...words])
  const child = spawn(command, rest, { cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] })
  const problems: string[] = []
  child.stderr.on('data', text => problems.push(String(text)))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${name}: ${problems.join('')}`)
}

/** Of the newest version that is installed. */
function program(name: string): string {
  const parent = '/usr/lib/postgresql'
  const [version] = readdirSync(parent).sort((a, b) => Number(b) - Number(a))
  return join(parent, version ?? '', 'bin', name)
}

function asDatabaseUser(words: readonly string[]): readonly string[] {
  if (databaseUser() === undefined) return words
  return ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups', ...words]
}

function databaseUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find(each => each.startsWith('postgres:'))
  if (line === undefined) throw new Error('there is no user postgres: PostgreSQL is not installed')
  const [, , uid, gid] = line.split(':').map(Number)
  return { uid: uid ?? 0, gid: gid ?? 0 }
}
