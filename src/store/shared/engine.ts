import { setTimeout as delay } from 'node:timers/promises'
import type { ClientConfig } from 'pg'
import { formatHostPort } from '../../host-port.ts'
import { Mutex } from '../../mutex.ts'
import { Connection, type ServerFacts } from './connection.ts'
import { EngineUnavailableError, EngineUnfitError } from './errors.ts'
import { readLogId } from './schema.ts'

// The PostgreSQL that several nodes share: one of several servers takes writes, and which one that is may change.

export type EngineOptions = {
  /** Of all servers that may take writes: `postgres://user@host:port/database?sslmode=verify-full&sslrootcert=…`. */
  readonly urls: readonly string[]
  /** Used where the URLs contain none. */
  readonly password?: string | undefined
  /** The node's name, which the server shows beside its sessions. */
  readonly node: string
  /** Whether a commit may be on one disk alone. */
  readonly acceptsLoss?: boolean | undefined
  readonly lookEveryMs?: number
}

export type ConnectOptions = {
  /** What the session is for, shown by the server. */
  readonly purpose: string
  /** Longest wait for an answer. */
  readonly patienceMs?: number
  /** If given, the server ends a session that idles longer. */
  readonly idleMs?: number
}

const connectMs = 2000
/** Longer than the server lets a session wait for a lock. */
const standardPatienceMs = 15_000
/** How much later than the first server another may answer and still be considered. */
const graceMs = 300
const oldestVersion = 140_000
/** Longer than any regular question waits for its answer. */
const silentMs = 4000
/** An old primary may live on, with all sessions of a node, when another server has been promoted. */
const standardLookEveryMs = 10_000

/** The server ends a turn that its holder does not end, so no node's clock matters. */
export const turnMs = 5000
/** Longest wait for a turn or any other lock, enforced by the server: a turn that is idle ends before. */
const lockMs = turnMs + 500

/** Values are never part of a statement's text, so none is in the server's log when one fails. A role or a database may have
 *  settings that would hide the warning beside a commit, end what takes long, or log values. */
const begin = `select
  set_config('synchronous_commit', case current_setting('synchronous_commit') when 'remote_apply' then 'remote_apply' else 'on' end, false),
  set_config('client_min_messages', 'warning', false),
  set_config('default_transaction_isolation', 'read committed', false),
  set_config('log_parameter_max_length_on_error', '0', false),
  (select count(set_config(name, '0', false)) from pg_settings where name in ('statement_timeout', 'transaction_timeout')),
  (select set_config('log_parameter_max_length', '0', false) from pg_roles where rolname = current_user and rolsuper),
  set_config('idle_in_transaction_session_timeout', $1, false),
  set_config('lock_timeout', $2, false),
  set_config('idle_session_timeout', $3, false),
  set_config('client_connection_check_interval', '1s', false),
  set_config('tcp_user_timeout', '5s', false)`
const facts = `select current_setting('server_version_num')::int as version,
  pg_is_in_recovery() or current_setting('transaction_read_only')::bool as "isStandby",
  case when pg_is_in_recovery() then 0
    else ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::int end as timeline,
  (select system_identifier::text from pg_control_system()) as system,
  current_setting('synchronous_standby_names') as standbys,
  current_user::text as role,
  current_database()::text as database,
  current_setting('log_parameter_max_length') <> '0' and (current_setting('log_statement') in ('mod', 'all')
    or current_setting('log_min_duration_statement') <> '-1' or current_setting('log_min_duration_sample') <> '-1'
    or current_setting('log_transaction_sample_rate') <> '0') as "areValuesLogged",
  array(select rolname::text from pg_roles where rolcanlogin and not rolsuper and rolname <> current_user
    and has_database_privilege(oid, current_database(), 'connect') order by rolname) as "otherRoles",
  to_regclass('zw_head') is not null as "hasLog",
  current_setting('fsync')::bool and current_setting('full_page_writes')::bool as "isFlushed"`

type FactsRow = {
  readonly version: number
  readonly isStandby: boolean
  readonly timeline: number
  readonly system: string
  readonly standbys: string
  readonly role: string
  readonly database: string
  readonly areValuesLogged: boolean
  readonly otherRoles: readonly string[]
  readonly hasLog: boolean
  readonly isFlushed: boolean
}

/** Makes connections to the server that takes writes. */
export class Engine {
  readonly node: string
  readonly acceptsLoss: boolean
  /** The id of the log that this node has a copy of, once it has one. A server with another log, or an empty one that has taken
   *  the place of a lost one, is unfit: copies may be all that is left. */
  log: string | undefined
  readonly #options: EngineOptions
  readonly #mutex = new Mutex()
  readonly #connections = new Set<Connection>()
  #heardAtMs = Number.NEGATIVE_INFINITY
  /** Of the servers that took writes, the one promoted last. */
  #latest: Promotion | undefined
  #shared: Connection | undefined
  #looking: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: EngineOptions) {
    this.#options = options
    this.node = options.node
    this.acceptsLoss = options.acceptsLoss ?? false
  }

  /** Whether nothing has come on any session for a while. Meaningful while something is asked again and again. */
  get isSilent(): boolean {
    return performance.now() - this.#heardAtMs > silentMs
  }

  /** Connects to the server that takes writes; if several claim to, to the one promoted last. Once that one is known, the others
   *  are no longer used: their sessions are ended, and they are refused while it is away.
   *  @throws EngineUnavailableError, EngineUnfitError */
  async connect(options: ConnectOptions): Promise<Connection> {
    const { urls } = this.#options
    const attempts = urls.map(url => this.#open(url, options))
    const opened = await Promise.any(attempts).catch(({ errors }: AggregateError) => {
      throw worstOf(errors)
    })
    const later = await Promise.race([Promise.allSettled(attempts), delay(graceMs, [])])
    const others = later.flatMap(each => (each.status === 'fulfilled' ? each.value : []))
    const best = others.reduce((a, b) => (b.server.timeline > a.server.timeline ? b : a), opened)
    for (const attempt of attempts)
      void attempt.then(
        other => (other === best ? undefined : other.close()),
        () => undefined,
      )
    if (!this.#isClosed) return best
    await best.close()
    throw new EngineUnavailableError('the connection to PostgreSQL is closed')
  }

  /** Runs work on a shared connection kept for infrequent tasks, one task at a time.
   *  @throws EngineUnavailableError, EngineUnfitError there is no connection; or it was lost meanwhile */
  use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#mutex.run(async () => {
      if (this.#shared === undefined || this.#shared.isOver)
        this.#shared = await this.connect({ purpose: 'work' })
      const connection = this.#shared
      try {
        return await work(connection)
      } catch (error) {
        const { problem, server } = connection
        if (problem === undefined) throw error
        throw new EngineUnavailableError(`${server.address}: ${problem.message}`, { cause: error })
      }
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#looking)
    await this.#shared?.close()
  }

  async #open(url: string, options: ConnectOptions): Promise<Connection> {
    const { purpose, patienceMs = standardPatienceMs, idleMs = 0 } = options
    const { password, node } = this.#options
    const { default: pg } = await import('pg')
    const client = new pg.Client({
      connectionString: withPassword(url, password),
      application_name: `zonewright ${node} ${purpose}`,
      pipeline: true,
      keepAlive: true,
      connectionTimeoutMillis: connectMs,
    } satisfies ClientConfig)
    client.on('error', () => undefined)
    const address = formatHostPort(client)
    let connection: Connection | undefined
    try {
      await client.connect()
      // A session that the server ends when it hears nothing has to be given up before, whatever still comes from it.
      const since = idleMs > 0 ? 'question' : 'last octets'
      const patience = { ms: patienceMs, since } as const
      const unknown = { address, system: '', timeline: 0, exposures: [] }
      connection = new Connection(client, unknown, patience)
      const [, found] = await Promise.all([
        connection.query(begin, [turnMs, lockMs, idleMs].map(String), connectMs),
        connection.query<FactsRow>(facts, [], connectMs),
      ])
      const [row] = found.rows
      if (row === undefined) throw new Error('it says nothing of itself')
      if (row.isStandby) throw new Error('it takes no writes')
      requireFit(address, row, this.acceptsLoss)
      await this.#requireLog(connection, address, row)
      const { system, timeline } = row
      Object.assign(connection, {
        server: { address, system, timeline, exposures: exposuresOf(row) },
      })
      this.#admit(connection)
      const hear = () => {
        this.#heardAtMs = performance.now()
      }
      hear()
      client.connection.stream.on('data', hear)
      return connection
    } catch (error) {
      if (connection === undefined) client.connection.stream.destroy()
      else await connection.close()
      if (error instanceof EngineUnfitError) throw error
      const problem = error instanceof Error ? error.message || error.name : String(error)
      throw new EngineUnavailableError(`${address}: ${problem}`)
    }
  }

  async #requireLog(connection: Connection, address: string, { hasLog }: FactsRow): Promise<void> {
    if (this.log === undefined) return
    const found = hasLog ? await readLogId(connection) : 'none'
    if (found === this.log) return
    throw new EngineUnfitError(
      `${address} has another log (${found}) than this node has a copy of (${this.log}): ` +
        'restore the log there, or start with an empty data directory if the other one is meant',
    )
  }

  /** @throws Error a server promoted later is known */
  #admit(connection: Connection): void {
    const { lookEveryMs = standardLookEveryMs } = this.#options
    const { server } = connection
    if (this.#latest !== undefined && isOvertaken(server, this.#latest)) throw overtaken()
    this.#latest = server
    for (const each of this.#connections)
      if (isOvertaken(each.server, server)) each.destroy(overtaken())
    this.#connections.add(connection)
    void connection.ended.then(() => this.#connections.delete(connection))
    if (!this.#isClosed) this.#looking ??= setInterval(() => void this.#look(), lookEveryMs).unref()
  }

  /** Connects to all servers, so that the one promoted last is known. */
  async #look(): Promise<void> {
    const connection = await this.connect({ purpose: 'look' }).catch(() => undefined)
    await connection?.close()
  }
}

type Promotion = Pick<ServerFacts, 'system' | 'timeline'>

function isOvertaken(one: Promotion, other: Promotion): boolean {
  return one.system === other.system && one.timeline < other.timeline
}

function overtaken(): Error {
  return new Error(
    'another server has been promoted in its place; if this one is meant, as it was restored from a backup, restart the node',
  )
}

/** Adds the password to the URL, since pg takes no separate password beside a URL.
 *  @param password of a URL that has none */
function withPassword(url: string, password: string | undefined): string {
  if (password === undefined) return url
  const whole = new URL(url)
  if (whole.password !== '') return url
  whole.password = encodeURIComponent(password)
  return whole.href
}

function requireFit(
  address: string,
  { version, standbys, isFlushed }: FactsRow,
  acceptsLoss: boolean,
): void {
  if (version < oldestVersion)
    throw new EngineUnfitError(`${address}: PostgreSQL 14 or later is needed`)
  if (acceptsLoss) return
  if (standbys.trim() === '')
    throw new EngineUnfitError(
      `${address} has no synchronous standby (synchronous_standby_names is empty), so a failover may lose acknowledged changes; ` +
        'set one up, or ZONEWRIGHT_STORE_LOSSY=on to accept that',
    )
  if (!isFlushed)
    throw new EngineUnfitError(
      `${address} runs with fsync or full_page_writes off, so a loss of power may lose acknowledged changes; ` +
        'switch both on, or set ZONEWRIGHT_STORE_LOSSY=on to accept that',
    )
}

function exposuresOf({ role, database, areValuesLogged, otherRoles }: FactsRow): readonly string[] {
  const logged = `PostgreSQL writes values of statements to its log, among them hashes of passwords and keys: as a superuser, "alter role ${role} set log_parameter_max_length = 0"`
  const open = `the database is open to other roles (${otherRoles.join(', ')}), which can read and forge what nodes tell each other: "revoke connect on database ${database} from public"`
  return [...(areValuesLogged ? [logged] : []), ...(otherRoles.length > 0 ? [open] : [])]
}

/** An error that needs another configuration takes precedence over one that may be transient. */
function worstOf(errors: readonly unknown[]): Error {
  const unfit = errors.find(error => error instanceof EngineUnfitError)
  if (unfit instanceof Error) return unfit
  const problems = errors.map(error => (error instanceof Error ? error.message : String(error)))
  return new EngineUnavailableError(`no PostgreSQL takes writes: ${problems.join('; ')}`)
}
