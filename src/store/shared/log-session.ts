import { setTimeout as delay } from 'node:timers/promises'
import { StoreUnavailableError } from '../store.ts'
import { notMade } from './append.ts'
import type { Connection } from './connection.ts'
import type { Engine } from './engine.ts'

export type LogSessionOptions = {
  readonly engine: Engine
  /** Checks a connection before it is used. If it throws, the connection is dropped and another is made. */
  readonly accept: (connection: Connection) => Promise<void>
  /** Called with every error. */
  readonly onProblem: (error: unknown) => void
  readonly onLost: (error: unknown) => void
  readonly onFound: () => void
}

/** How long changes wait for a connection. */
export const patienceMs = 10_000
/** How long a close waits for an append in doubt to be settled. */
const closeMs = 3000
const firstPauseMs = 50
const longestPauseMs = 500

/** The connection over which a node appends: made in the background, and remade whenever it is lost. */
export class LogSession {
  readonly #options: LogSessionOptions
  #connection: Connection | undefined
  #connecting: Promise<void> | undefined
  #wasAccepted = false
  #lastProblem: unknown
  #lostSince: number | undefined
  /** When the present connection, or the last one, was accepted. */
  #foundAtMs = Number.NEGATIVE_INFINITY
  #pauseMs = firstPauseMs
  #refusal: unknown
  #isOver = false
  readonly #firstLoss = Promise.withResolvers<void>()
  readonly #closing = new AbortController()
  #closingTimer: NodeJS.Timeout | undefined

  constructor(options: LogSessionOptions) {
    this.#options = options
  }

  /** Whether the last attempt to reach the server failed. */
  get isLost(): boolean {
    return this.#lostSince !== undefined
  }

  /** Connects. Resolves when that has succeeded or failed once; retries continue. */
  async start(): Promise<void> {
    this.#connect()
    await Promise.race([this.#connecting, this.#firstLoss.promise])
  }

  /** Resolves with the connection as soon as there is one.
   *  @param deadline by `performance.now()`
   *  @throws StoreUnavailableError there is none in time */
  async connected(deadline: number): Promise<Connection> {
    for (;;) {
      const connection = this.#usable()
      if (connection !== undefined) return connection
      const { aborted: isClosing } = this.#closing.signal
      if (this.#refusal !== undefined) throw notMade(this.#refusal)
      if (this.#isOver || (isClosing && this.isLost))
        throw notMade(new Error('the store is being closed'))
      const now = performance.now()
      // A start continues without what it would write.
      const isAway =
        this.#lostSince !== undefined && (!this.#wasAccepted || now - this.#lostSince > patienceMs)
      if (isAway || now > deadline) throw notMade(this.#lastProblem)
      const timer = new AbortController()
      const signals = isClosing ? [timer.signal] : [timer.signal, this.#closing.signal]
      const signal = AbortSignal.any(signals)
      this.#connect()
      const late = delay(deadline - now, undefined, { signal }).catch(() => undefined)
      await Promise.race([this.#connecting, late])
      timer.abort()
    }
  }

  /** Resolves with the connection for settling an append in doubt, however long that takes.
   *  @throws StoreUnavailableError connections were given up; or the store is closed before */
  async connectedAtLast(): Promise<Connection> {
    for (;;) {
      const connection = this.#usable()
      if (connection !== undefined) return connection
      if (this.#refusal !== undefined) throw notMade(this.#refusal)
      if (this.#isOver)
        throw new StoreUnavailableError('It is not known whether the change is made')
      await Promise.race([this.#connecting, delay(longestPauseMs)])
    }
  }

  /** Drops a connection, and makes another. */
  lose(connection: Connection, error: unknown): void {
    this.#lastProblem = error
    this.#options.onProblem(error)
    connection.destroy(error instanceof Error ? error : undefined)
    if (this.#connection === connection) this.#connection = undefined
    this.#connect()
  }

  /** Gives up a connection on which nothing has failed yet, as the server is silent, and rejects all callers until there is another. */
  noteSilence(error: unknown): void {
    const connection = this.#connection
    if (connection === undefined || this.isLost) return
    this.#lost(error)
    this.#lostSince = Number.NEGATIVE_INFINITY
    this.lose(connection, error)
  }

  /** Makes no more connections, and rejects all callers waiting for one. */
  giveUp(cause: unknown): void {
    this.#refusal ??= cause
  }

  /** Stops waiting for connections, except briefly to settle what is in doubt. */
  beginClosing(): void {
    this.#closing.abort()
    this.#closingTimer = setTimeout(() => {
      this.#isOver = true
      this.#connection?.destroy()
    }, closeMs)
  }

  /** Ends everything. To be called when no more requests come. */
  async stop(): Promise<void> {
    clearTimeout(this.#closingTimer)
    this.#isOver = true
    await this.#connection?.close()
  }

  #usable(): Connection | undefined {
    const connection = this.#connection
    if (connection?.isOver === true && !this.#isOver) this.lose(connection, connection.problem)
    return connection?.isOver === false ? connection : undefined
  }

  /** Connects in the background, as long as it takes. */
  #connect(): void {
    if (this.#connecting === undefined && this.#isWanted) this.#connecting = this.#untilConnected()
  }

  get #isWanted(): boolean {
    return !this.#isOver && this.#refusal === undefined && this.#connection === undefined
  }

  async #untilConnected(): Promise<void> {
    try {
      // A server that takes connections and then fails on each is not to be flooded with them.
      if (performance.now() - this.#foundAtMs < longestPauseMs) await this.#pause()
      else this.#pauseMs = firstPauseMs
      while (this.#isWanted) {
        try {
          const connection = await this.#open()
          this.#connection = connection
          // Without a change on its way, nobody else notices.
          void connection.ended.then(() => this.#usable())
          this.#found()
        } catch (error) {
          this.#lost(error)
          await this.#pause()
        }
      }
    } finally {
      // In the same step as the check whether a connection is wanted: one lost after that starts another search.
      this.#connecting = undefined
    }
  }

  async #pause(): Promise<void> {
    await delay(this.#pauseMs)
    this.#pauseMs = Math.min(2 * this.#pauseMs, longestPauseMs)
  }

  async #open(): Promise<Connection> {
    const connection = await this.#options.engine.connect({ purpose: 'log' })
    try {
      await this.#options.accept(connection)
      return connection
    } catch (error) {
      connection.destroy()
      throw error
    }
  }

  #lost(error: unknown): void {
    this.#lastProblem = error
    this.#options.onProblem(error)
    if (this.#lostSince === undefined && this.#refusal === undefined) {
      this.#lostSince = performance.now()
      this.#options.onLost(error)
    }
    this.#firstLoss.resolve()
  }

  #found(): void {
    const wasLost = this.isLost
    this.#lostSince = undefined
    this.#foundAtMs = performance.now()
    this.#wasAccepted = true
    if (wasLost) this.#options.onFound()
  }
}
