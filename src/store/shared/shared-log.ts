import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { Mutex } from '../../mutex.ts'
import { TimeSlice } from '../../time-slice.ts'
import { commitOfEntry } from '../commit-entry.ts'
import type { LocalLog } from '../commit-log.ts'
import type { CommitLog } from '../committer.ts'
import { type Commit, StoreUnavailableError } from '../store.ts'
import type { Connection } from './connection.ts'
import type { Engine } from './engine.ts'
import {
  type BatchRow,
  batchesAtOnce,
  batchOf,
  behindText,
  bodyOf,
  entriesIn,
  type LogBatch,
  linkBehind,
  noticeOf,
} from './log-batch.ts'
import { DivergedError, type Position } from './position.ts'
import { type RowChange, rowChangesOf, writeRows } from './row-changes.ts'
import { channels, locks } from './schema.ts'

export type SharedLogOptions = {
  readonly engine: Engine
  /** What the node keeps for its next start. */
  readonly local: LocalLog
  readonly lastLsn: number
  /** Finds out where in the log this node is.
   *  @throws DivergedError nowhere */
  readonly locate: (connection: Connection, position: Position | undefined) => Promise<Position>
  readonly onLost: (error: unknown) => void
  readonly onFound: () => void
  /** The log is another than this node has followed. */
  readonly onDiverged: (error: DivergedError) => void
  /** The copy is not written any more. */
  readonly onCopyFailed: (error: unknown) => void
}

/** Whoever asks for a change waits so long for its turn. */
const patienceMs = 10_000
/** And a doubt is tried to be settled for so long when the store is closed. */
const closeMs = 3000
const firstPauseMs = 50
const longestPauseMs = 500

/** Fails where the head is not where the writer thinks it is: then nothing of the transaction stays. */
const appendText = `with head as (
    update zw_head set lsn = $2, link = $3, at_micros = $4 where lsn = $1 - 1 and link = $5 returning lsn
  ), log as (
    insert into zw_log (first_lsn, last_lsn, link, batch, node, body)
    select $1, $2, $3, $6, $7, $8 where 1 / (select count(*) from head) = 1
  )
  select pg_notify('${channels.log}', $9)`

/** What is to be appended, until it is known what became of it. */
type Append = LogBatch & {
  readonly id: string
  readonly before: Buffer
  readonly atMicros: number
  readonly rows: readonly RowChange[]
}

/** The log in PostgreSQL as one node appends to it and follows it. */
export class SharedLog implements CommitLog {
  readonly #options: SharedLogOptions
  /** Whoever appends or takes what others have appended has this place for itself. */
  readonly #mutex = new Mutex()
  #position: Position | undefined
  #lsn: number
  #connection: Connection | undefined
  #connecting: Promise<void> | undefined
  /** In the middle of whose transaction this node is. */
  #turn: Connection | undefined
  #lastProblem: unknown
  #lostSince: number | undefined
  #endTurn: () => void = () => undefined
  #take: (commits: readonly Commit[]) => void = () => undefined
  #isCopied = true
  #isOver = false
  #hasDiverged = false
  readonly #firstLoss = Promise.withResolvers<void>()
  readonly #closing = new AbortController()
  #closingTimer: NodeJS.Timeout | undefined

  constructor(options: SharedLogOptions) {
    this.#options = options
    this.#lsn = options.lastLsn
  }

  /** Undefined before this node has found its place. */
  get position(): Position | undefined {
    return this.#position
  }

  /** The last commit of the log that this node has. */
  get lsn(): number {
    return this.#lsn
  }

  /** Why no change can be made; undefined while they can be. */
  get problem(): string | undefined {
    if (this.#lostSince === undefined) return undefined
    return 'the PostgreSQL that the nodes share cannot be reached'
  }

  follow(take: (commits: readonly Commit[]) => void): void {
    this.#take = take
  }

  /** Connects. Resolves when that is done or has failed once; it is tried again and again. */
  async start(): Promise<void> {
    this.#connect()
    await Promise.race([this.#connecting, this.#firstLoss.promise])
  }

  async begin(): Promise<void> {
    const deadline = performance.now() + patienceMs
    await this.#enter()
    try {
      for (;;) {
        const connection = await this.#connected(deadline)
        try {
          const behind = await this.#takeTurn(connection)
          await this.#receive(behind.batches)
          if (!behind.isMore) {
            this.#requireHead(behind.head)
            this.#turn = connection
            return
          }
          await connection.query('rollback')
        } catch (error) {
          this.#lose(connection, error)
          if (performance.now() > deadline) throw notMade(error)
        }
      }
    } catch (error) {
      this.#endTurn()
      throw error
    }
  }

  async end(): Promise<void> {
    const connection = this.#turn
    try {
      await connection?.query('rollback')
    } catch (error) {
      if (connection !== undefined) this.#lose(connection, error)
    } finally {
      this.#endTurn()
    }
  }

  async append(commits: readonly Commit[]): Promise<void> {
    const { local } = this.#options
    try {
      const pieces = await local.encode(commits)
      const entries = pieces.map(
        each => (each.length === 1 ? each[0] : Buffer.concat(each)) as Buffer,
      )
      const position = this.#known()
      const append: Append = {
        id: randomUUID(),
        first: position.lsn + 1,
        last: position.lsn + commits.length,
        before: position.link,
        link: linkBehind(position.link, entries),
        body: bodyOf(entries),
        atMicros: commits.at(-1)?.atMicros ?? 0,
        rows: rowChangesOf(commits),
      }
      await this.#write(append)
      this.#advance({ lsn: append.last, link: append.link })
      await this.#copy(commits, pieces)
    } catch (error) {
      // Whatever keeps a batch from being asked for leaves the turn open.
      const isAnswered = error instanceof StoreUnavailableError
      if (!isAnswered && this.#turn !== undefined) this.#lose(this.#turn, error)
      throw error
    } finally {
      this.#endTurn()
    }
  }

  /** Sees whether the log of a new connection is the one that this node has followed.
   *  @throws DivergedError it is not */
  async compare(connection: Connection): Promise<void> {
    if (this.#position === undefined) return
    try {
      await this.#options.locate(connection, this.#position)
    } catch (error) {
      this.#noteDivergence(error)
      throw error
    }
  }

  /** Takes batches that others have appended, as far as they go on from what this node has.
   *  @returns whether they do */
  async takeOthers(batches: readonly LogBatch[]): Promise<boolean> {
    return this.#mutex.run(async () => {
      // Before it is known where this node is, nothing can be taken.
      if (this.#position === undefined) return true
      const fresh = batches.filter(({ last }) => last > this.#lsn)
      if (fresh.length === 0) return true
      if (fresh[0]?.first !== this.#lsn + 1) return false
      try {
        await this.#receive(fresh)
      } catch (error) {
        this.#noteDivergence(error)
        throw error
      }
      return true
    })
  }

  /** Waits for no connection any more, but for a little to settle what is in doubt. */
  beginClosing(): void {
    this.#closing.abort()
    this.#closingTimer = setTimeout(() => this.#giveUp(), closeMs)
  }

  /** Ends all. To be called when nothing is asked for any more. */
  async stop(): Promise<void> {
    clearTimeout(this.#closingTimer)
    this.#isOver = true
    await this.#connection?.close()
  }

  #giveUp(): void {
    this.#isOver = true
    this.#connection?.destroy()
  }

  /** Takes the place, which `#endTurn` gives back. */
  #enter(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    void this.#mutex.run(() => {
      const turn = Promise.withResolvers<void>()
      this.#endTurn = turn.resolve
      resolve()
      return turn.promise
    })
    return promise
  }

  #known(): Position {
    if (this.#position === undefined) throw new Error('this node has no place in the log yet')
    return this.#position
  }

  #advance(position: Position): void {
    this.#position = position
    this.#lsn = position.lsn
  }

  async #takeTurn(connection: Connection) {
    const [, , heads, behind] = await Promise.all(
      connection.together(() => [
        connection.query('begin isolation level read committed'),
        connection.query({ name: 'turn', text: 'select pg_advisory_xact_lock($1)' }, [locks.turn]),
        connection.query<{ lsn: string; link: Buffer }>({
          name: 'head',
          text: 'select lsn, link from zw_head',
        }),
        connection.query<BatchRow>({ name: 'behind', text: behindText }, [this.#lsn]),
      ]),
    )
    const [head] = (heads?.rows ?? []) as { lsn: string; link: Buffer }[]
    if (head === undefined) throw new DivergedError('the log has no head')
    const batches = ((behind?.rows ?? []) as BatchRow[]).map(batchOf)
    return {
      head: { lsn: Number(head.lsn), link: head.link },
      batches,
      isMore: batches.length === batchesAtOnce,
    }
  }

  #requireHead(head: Position): void {
    const { lsn, link } = this.#known()
    if (head.lsn !== lsn || !head.link.equals(link))
      throw new DivergedError(`the log ends at ${head.lsn}, and this node is at another ${lsn}`)
  }

  /** Gives out what others have appended, when the copy has it. */
  async #receive(batches: readonly LogBatch[]): Promise<void> {
    const slice = new TimeSlice()
    for (const { first, last, link, body } of batches) {
      const position = this.#known()
      const entries = entriesIn(body)
      const isNext = first === position.lsn + 1 && last === position.lsn + entries.length
      if (!isNext || !linkBehind(position.link, entries).equals(link))
        throw new DivergedError(`batch ${first} does not go on from what this node has`)
      const commits: Commit[] = []
      for (const [i, entry] of entries.entries()) {
        commits.push(commitOfEntry(first + i, entry))
        if (slice.isSpent) await slice.rest()
      }
      await this.#copy(
        commits,
        entries.map(entry => [entry]),
      )
      this.#advance({ lsn: last, link })
      this.#take(commits)
    }
  }

  /** A copy that cannot be written stays behind, and is brought up to date at the next start. */
  async #copy(commits: readonly Commit[], entries: readonly (readonly Buffer[])[]): Promise<void> {
    if (!this.#isCopied) return
    try {
      await this.#options.local.write(commits, entries)
    } catch (error) {
      this.#isCopied = false
      this.#options.onCopyFailed(error)
    }
  }

  /** Resolves when the batch is in the log.
   *  @throws StoreUnavailableError it is not, and never will be; or the store is closed before that is known */
  async #write(append: Append): Promise<void> {
    let connection = this.#turn
    while (connection === undefined || !(await this.#tryAppend(connection, append))) {
      // In doubt, until the log is looked at in a turn.
      const { found, turn } = await this.#settle(append)
      if (found === 'there') return
      if (found === 'gone') throw notMade(new Error('others have written meanwhile'))
      connection = turn
    }
  }

  /** Finds out what became of a batch, as soon as that can be. */
  async #settle(append: Append) {
    for (;;) {
      const connection = this.#connection
      // What the batch goes on from is not in the log.
      if (this.#hasDiverged) throw notMade(this.#lastProblem)
      if (connection === undefined || connection.isOver) {
        if (this.#isOver)
          throw new StoreUnavailableError('It is not known whether the change is made')
        if (connection !== undefined) this.#lose(connection, await connection.ended)
        await Promise.race([this.#connecting, delay(longestPauseMs)])
        continue
      }
      const found = await this.#find(connection, append)
      if (found !== undefined) return { found, turn: connection }
    }
  }

  /** Returns whether the batch is written for sure; false where that is in doubt.
   *  @throws StoreUnavailableError it is not, for sure */
  async #tryAppend(connection: Connection, append: Append): Promise<boolean> {
    const { first, last, link, before, id, body, atMicros, rows } = append
    const { node } = this.#options.engine
    const warnings = connection.warningCount
    const values = [first, last, link, atMicros, before, id, node, body, noticeOf(append)]
    const asked = connection.together(() => [
      connection.query({ name: 'append', text: appendText }, values),
      ...writeRows(connection, last, rows),
      connection.query('commit'),
    ])
    const outcomes = await Promise.allSettled(asked)
    const commit = outcomes.at(-1) as PromiseSettledResult<{ readonly command: string }>
    if (commit.status === 'fulfilled' && commit.value.command === 'COMMIT') {
      // A warning: the server has given up to wait for its standby.
      if (connection.warningCount === warnings) return true
      connection.destroy(new Error('the server gave up waiting for its standby'))
      return false
    }
    const refusal = outcomes.find(each => each.status === 'rejected')?.reason
    if (commit.status === 'fulfilled' || isRefusal(commit.reason)) throw notMade(refusal)
    this.#lose(connection, commit.reason)
    return false
  }

  /** Takes the turn and looks for a batch; the turn goes on where the place is still free. Undefined where that could not
   *  be done. */
  async #find(
    connection: Connection,
    { id, first, before }: Append,
  ): Promise<'there' | 'free' | 'gone' | undefined> {
    const warnings = connection.warningCount
    try {
      await connection.query('begin isolation level read committed')
      await connection.query('select pg_advisory_xact_lock($1)', [locks.turn])
      const found = await connection.query<{ batch: string }>(
        'select batch from zw_log where first_lsn = $1',
        [first],
      )
      if (found.rows[0]?.batch === id) {
        // What is committed behind it is on the standby only when it is, too.
        await connection.query('update zw_head set lsn = lsn')
        await connection.query('commit')
        if (connection.warningCount === warnings) return 'there'
        connection.destroy(new Error('the server gave up waiting for its standby'))
        return undefined
      }
      const heads = await connection.query<{ lsn: string; link: Buffer }>(
        'select lsn, link from zw_head',
      )
      const [head] = heads.rows
      if (Number(head?.lsn) === first - 1 && head?.link.equals(before)) return 'free'
      await connection.query('rollback')
      return 'gone'
    } catch (error) {
      this.#lose(connection, error)
      return undefined
    }
  }

  /** The connection, as soon as there is one.
   *  @throws StoreUnavailableError there is none in time */
  async #connected(deadline: number): Promise<Connection> {
    for (;;) {
      const connection = this.#connection
      if (connection !== undefined && !connection.isOver) return connection
      const { aborted: isClosing } = this.#closing.signal
      if (this.#hasDiverged) throw notMade(this.#lastProblem)
      if (this.#isOver || (isClosing && this.#lostSince !== undefined))
        throw notMade(new Error('the store is being closed'))
      if (connection !== undefined) this.#lose(connection, await connection.ended)
      const now = performance.now()
      // A start goes on without what it would write.
      const isAway =
        this.#lostSince !== undefined &&
        (this.#position === undefined || now - this.#lostSince > patienceMs)
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

  #lose(connection: Connection, error: unknown): void {
    this.#lastProblem = error
    this.#noteDivergence(error)
    connection.destroy()
    if (this.#connection === connection) this.#connection = undefined
    this.#connect()
  }

  #noteDivergence(error: unknown): void {
    if (!(error instanceof DivergedError) || this.#hasDiverged) return
    this.#hasDiverged = true
    this.#options.onDiverged(error)
  }

  /** Connects in the background, as long as it takes. */
  #connect(): void {
    if (this.#connecting !== undefined || this.#isOver || this.#hasDiverged) return
    const connect = async () => {
      let pauseMs = firstPauseMs
      while (!this.#isOver && !this.#hasDiverged && this.#connection === undefined) {
        try {
          const connection = await this.#options.engine.connect({ purpose: 'log' })
          const position = await this.#options.locate(connection, this.#position)
          this.#position ??= position
          this.#connection = connection
          this.#hold()
        } catch (error) {
          this.#lastProblem = error
          this.#noteDivergence(error)
          if (this.#lostSince === undefined && !this.#hasDiverged) {
            this.#lostSince = performance.now()
            this.#options.onLost(error)
          }
          this.#firstLoss.resolve()
          await delay(pauseMs)
          pauseMs = Math.min(2 * pauseMs, longestPauseMs)
        }
      }
    }
    this.#connecting = connect().finally(() => {
      this.#connecting = undefined
    })
  }

  #hold(): void {
    const wasLost = this.#lostSince !== undefined
    this.#lostSince = undefined
    if (wasLost) this.#options.onFound()
  }
}

/** Whether the server says that the transaction is undone. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'severity' in error && error.severity === 'ERROR'
}

function notMade(cause: unknown): StoreUnavailableError {
  const why = cause instanceof Error ? `: ${cause.message}` : ''
  return new StoreUnavailableError(`The change is not made${why}`, { cause })
}
