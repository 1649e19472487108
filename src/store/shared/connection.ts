import { randomUUID } from 'node:crypto'
import type { Client, QueryConfig, QueryResult, QueryResultRow } from 'pg'

/** What the server reports about itself when a connection begins. */
export type ServerFacts = {
  /** Host and port. */
  readonly address: string
  /** The same for a server and its standbys. */
  readonly system: string
  /** Counts promotions: of two servers of one system that take writes, the one promoted later is the right one. */
  readonly timeline: number
  /** In which ways others than its administrators may come to see what nodes store; for operators. */
  readonly exposures: readonly string[]
}

export type Statement = string | QueryConfig

/** How long a server may be silent. Many statements, or one large answer, may take longer in all than this since the last octets. */
export type Patience = { readonly ms: number; readonly since: 'last octets' | 'question' }

/** SQLSTATE of a notice that is no warning. */
const successCode = '00000'

/** How long to wait for a server that is asked to end a session. */
const partingMs = 500

/** A session of a server. It ends permanently when the connection is lost, or when the server is silent for longer than the
 *  caller's patience. */
export class Connection {
  readonly server: ServerFacts
  /** Resolves with the cause when the session is over. */
  readonly ended: Promise<Error>
  readonly #client: Client
  readonly #patience: Patience
  /** Of the statements that are not answered yet. */
  readonly #timers = new Set<NodeJS.Timeout>()
  #end: Error | undefined
  #warnings = 0

  constructor(client: Client, server: ServerFacts, patience: Patience) {
    this.#client = client
    this.server = server
    this.#patience = patience
    const { promise, resolve } = Promise.withResolvers<Error>()
    this.ended = promise
    const over = (error: Error) => {
      this.#end ??= error
      resolve(this.#end)
    }
    client.on('error', over)
    client.on('end', () => over(new Error('the connection is closed')))
    if (patience.since === 'last octets')
      client.connection.stream.on('data', () => {
        for (const timer of this.#timers) timer.refresh()
      })
    // Words of severity are in the server's language. The session asks for nothing below warnings.
    client.on('notice', ({ code }) => {
      if (code !== successCode) this.#warnings += 1
    })
  }

  get isOver(): boolean {
    return this.#end !== undefined
  }

  /** Why the session is over. */
  get problem(): Error | undefined {
    return this.#end
  }

  /** Warnings of the server so far. */
  get warningCount(): number {
    return this.#warnings
  }

  /** Runs a statement. Statements issued without waiting are sent together.
   *  @throws Error the server refuses it, then with a `code` (SQLSTATE); or the connection is lost */
  async query<R extends QueryResultRow>(
    statement: Statement,
    values?: unknown[],
    patienceMs = this.#patience.ms,
  ): Promise<QueryResult<R>> {
    if (this.#end !== undefined) throw this.#end
    const timer = setTimeout(
      () => this.destroy(new Error(`the server is silent for ${patienceMs} ms`)),
      patienceMs,
    )
    this.#timers.add(timer)
    try {
      return await this.#client.query<R>(statement as string, values)
    } finally {
      clearTimeout(timer)
      this.#timers.delete(timer)
    }
  }

  /** Makes sure that the server's responses match the requests: a duplicate response would be taken for the next one.
   *  @throws Error they do not; the session is over then */
  async requireInStep(): Promise<void> {
    const question = randomUUID()
    const { rows } = await this.query<{ answer?: string }>('select $1::text as answer', [question])
    if (rows[0]?.answer === question) return
    this.destroy(new Error('the server answers what it was not asked for'))
    throw this.#end
  }

  /** Sends the statements issued in `ask` in one piece. */
  together<T>(ask: () => T): T {
    const { stream } = this.#client.connection
    stream.cork()
    try {
      return ask()
    } finally {
      stream.uncork()
    }
  }

  /** Runs statements in one transaction, which is rolled back if the work throws. */
  async transaction<T>(work: () => Promise<T>, begin = 'begin'): Promise<T> {
    await this.query(begin)
    try {
      const result = await work()
      const { command } = await this.query('commit')
      if (command !== 'COMMIT') throw new Error('the server has rolled the transaction back')
      return result
    } catch (error) {
      await this.query('rollback').catch(() => undefined)
      throw error
    }
  }

  /** Receives what is sent to a channel from now on. */
  async listen(channel: string, take: (payload: string) => void): Promise<void> {
    this.#client.on('notification', message => {
      if (message.channel === channel) take(message.payload ?? '')
    })
    await this.query(`listen ${channel}`)
  }

  /** Ends the session at once, without waiting for the server. */
  destroy(cause = new Error('the connection is closed')): void {
    this.#end ??= cause
    this.#client.connection.stream.destroy(cause)
  }

  /** Ends the session. */
  async close(): Promise<void> {
    if (this.#end !== undefined) return
    const timer = setTimeout(() => this.destroy(), partingMs)
    await this.#client.end().catch(() => undefined)
    clearTimeout(timer)
  }
}
