import { setTimeout as delay } from 'node:timers/promises'
import { StoreUnavailableError } from '../store.ts'
import { notMade } from './append.ts'
import type { Connection } from './connection.ts'
import type { Engine } from './engine.ts'

export type LogSessionOptions = {
  readonly engine: Engine
  /** Looks at a connection before it is used. One that it throws over is given up, and another is made. */
  readonly accept: (connection: Connection) => Promise<void>
  /** Hears of all that goes wrong. */
  readonly onProblem: (error: unknown) => void
  readonly onLost: (error: unknown) => void
  readonly onFound: () => void
}

/** How long changes are kept waiting for a connection. */
export const patienceMs = 10_000
/** And a doubt is tried to be settled for so long when the store is closed. */
const closeMs = 3000
const firstPauseMs = 50
const longestPauseMs = 500

/** The connection over which a node appends: made in the background, and anew as often as it is lost. */
export class LogSession {
  readonly #options: LogSessionOptions
  #connection: Connection | undefined
  #connecting: Promise<void> | undefined
  #wasAccepted = false
  #lastProblem: unknown
  #lostSince: number | undefined
  #refusal: unknown
  #isOver = false
  readonly #firstLoss = Promise.withResolvers<void>()
  readonly #closing = new AbortController()
  #closingTimer: NodeJS.Timeout | undefined

  constructor(options: LogSessionOptions) {
    this.#options = options
  }

  /** Whether the server could not be reached when it was tried last. */
  get isLost(): boolean {
    return this.#lostSince !== undefined
  }

  /** Connects. Resolves when that is done or has failed once; it is tried again and again. */
  async start(): Promise<void> {
    this.#connect()
    await Promise.race([this.#connecting, this.#firstLoss.promise])
  }

  /** The connection, as soon as there is one.
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
      // A start goes on without what it would write.
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

  /** The connection for what is in doubt, however long that takes.
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

  /** Gives up a connection, and makes another. */
  lose(connection: Connection, error: unknown): void {
    this.#lastProblem = error
    this.#options.onProblem(error)
    connection.destroy()
    if (this.#connection === connection) this.#connection = undefined
    this.#connect()
  }

  /** Makes no connection any more, and refuses whoever waits for one. */
  giveUp(cause: unknown): void {
    this.#refusal ??= cause
  }

  /** Waits for no connection any more, but for a little to settle what is in doubt. */
  beginClosing(): void {
    this.#closing.abort()
    this.#closingTimer = setTimeout(() => {
      this.#isOver = true
      this.#connection?.destroy()
    }, closeMs)
  }

  /** Ends all. To be called when nothing is asked for any more. */
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
    let pauseMs = firstPauseMs
    try {
      while (this.#isWanted) {
        try {
          this.#connection = await this.#open()
          this.#found()
        } catch (error) {
          this.#lost(error)
          await delay(pauseMs)
          pauseMs = Math.min(2 * pauseMs, longestPauseMs)
        }
      }
    } finally {
      // In the same moment as the look whether one is wanted: one that is lost behind that begins another search.
      this.#connecting = undefined
    }
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
    this.#wasAccepted = true
    if (wasLost) this.#options.onFound()
  }
}
