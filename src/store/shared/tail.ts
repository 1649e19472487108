import { setTimeout as delay } from 'node:timers/promises'
import type { Connection } from './connection.ts'
import type { Engine } from './engine.ts'
import { batchIn } from './log-batch.ts'
import { channels } from './schema.ts'
import type { SharedLog } from './shared-log.ts'

export type TailOptions = {
  readonly engine: Engine
  readonly log: SharedLog
  /** Called when changes begin to wait for a standby, and when they no longer do. */
  readonly onStandbyAwaited: (isAwaited: boolean) => void
}

/** A half-open connection reports nothing, so the server is queried this often, and waited for this long. */
const askEveryMs = 1000
const patienceMs = 3000
const firstPauseMs = 50
const longestPauseMs = 1000

/** Whether a change of any node has waited for a standby for longer than one that is there takes. */
const standbyText = `select exists (
  select from pg_stat_activity where datname = current_database() and wait_event = 'SyncRep'
    and clock_timestamp() - query_start > interval '3 s'
) as is_awaited`

/** Follows what others append, on a connection of its own. */
export class Tail {
  readonly #options: TailOptions
  readonly #closing = new AbortController()
  #connection: Connection | undefined
  #running: Promise<void> | undefined
  /** The read in progress; the next one begins when it is done. */
  #reading: Promise<number> | undefined
  #nextReading: Promise<number> | undefined
  /** When this node last had taken what the server reported. */
  heardAtMs: number | undefined
  /** Whether changes wait for a standby. */
  isStandbyAwaited = false

  constructor(options: TailOptions) {
    this.#options = options
  }

  start(): void {
    this.#running ??= this.#run()
  }

  async stop(): Promise<void> {
    this.#closing.abort()
    await this.#connection?.close()
    await this.#running
  }

  /** Where the log ends, as of now or later, with everything up to there taken. Concurrent callers share one query.
   *  @throws Error the server gives no answer */
  async end(): Promise<number> {
    if (this.#reading === undefined) return this.#begin()
    // The read in progress may have been answered already.
    this.#nextReading ??= this.#reading.then(
      () => this.#begin(),
      () => this.#begin(),
    )
    return this.#nextReading
  }

  #begin(): Promise<number> {
    this.#nextReading = undefined
    const reading = this.#read().finally(() => {
      if (this.#reading === reading) this.#reading = undefined
    })
    this.#reading = reading
    return reading
  }

  async #read(): Promise<number> {
    const { log } = this.#options
    for (;;) {
      const connection = this.#connection
      if (connection === undefined) throw new Error('there is no connection to PostgreSQL')
      const { end, batches } = await this.#ask(connection)
      if (!(await log.takeOthers(batches)))
        throw new Error('the log does not continue what this node has')
      this.heardAtMs = performance.now()
      if (log.lsn >= end.lsn) return end.lsn
    }
  }

  /** A connection on which answers do not match the questions is unusable. */
  async #ask(connection: Connection) {
    try {
      return await this.#options.log.readEnd(connection)
    } catch (error) {
      connection.destroy(error instanceof Error ? error : undefined)
      throw error
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing
    let pauseMs = firstPauseMs
    while (!signal.aborted) {
      try {
        await this.#follow()
        pauseMs = firstPauseMs
      } catch {
        // It is tried again.
      }
      this.#connection?.destroy()
      this.#connection = undefined
      await delay(pauseMs, undefined, { signal }).catch(() => undefined)
      pauseMs = Math.min(2 * pauseMs, longestPauseMs)
    }
  }

  /** Follows until the connection is over. */
  async #follow(): Promise<void> {
    const { engine, log } = this.#options
    const { signal } = this.#closing
    const connection = await engine.connect({ purpose: 'tail', patienceMs }).catch(error => {
      // An answer that is late may only have come while this process stood still; a new connection then succeeds.
      if (engine.isSilent) log.noteSilence(error)
      throw error
    })
    // Nobody is said to be up to date with a log that may be another one.
    await log.compare(connection).catch(error => {
      connection.destroy()
      throw error
    })
    this.#connection = connection
    let noticed: Promise<unknown> = Promise.resolve()
    await connection.listen(channels.log, notice => {
      noticed = noticed.then(() => this.#noticed(notice)).catch(() => undefined)
    })
    while (!connection.isOver && !signal.aborted) {
      await this.end()
      await this.#lookForStandby(connection)
      const timer = new AbortController()
      const both = AbortSignal.any([signal, timer.signal])
      const pause = delay(askEveryMs, undefined, { signal: both }).catch(() => undefined)
      await Promise.race([connection.ended, pause])
      timer.abort()
    }
  }

  async #lookForStandby(connection: Connection): Promise<void> {
    const { rows } = await connection.query<{ is_awaited: boolean }>(standbyText)
    const isAwaited = rows[0]?.is_awaited === true
    if (isAwaited === this.isStandbyAwaited) return
    this.isStandbyAwaited = isAwaited
    this.#options.onStandbyAwaited(isAwaited)
  }

  async #noticed(notice: string): Promise<void> {
    const { log } = this.#options
    const batch = batchIn(notice)
    const isTaken = 'body' in batch ? log.takeNotice(batch) : log.reaches(batch.last)
    if (!(await isTaken)) await this.end()
  }
}
