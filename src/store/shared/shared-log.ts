import type { Meanwhile } from '../../durable/log-file.ts'
import { Mutex } from '../../mutex.ts'
import { TimeSlice } from '../../time-slice.ts'
import { commitOfEntry } from '../commit-entry.ts'
import type { LocalLog } from '../commit-log.ts'
import type { CommitLog } from '../committer.ts'
import { type Commit, StoreUnavailableError } from '../store.ts'
import { collectionNames, NewerVersionError } from '../tables.ts'
import { type Append, appendOf, findAppend, notMade, tryAppend } from './append.ts'
import { ClockComparison, type ClockComparisonOptions } from './clock-comparison.ts'
import type { Connection } from './connection.ts'
import type { Engine } from './engine.ts'
import { OtherSchemaError } from './errors.ts'
import { continues, entriesIn, type LogBatch, type LogEnd, readEnd } from './log-batch.ts'
import { LogSession, patienceMs } from './log-session.ts'
import { DivergedError, type Position } from './position.ts'
import { locks } from './schema.ts'

const known: ReadonlySet<string> = new Set(collectionNames)

export type SharedLogOptions = ClockComparisonOptions & {
  readonly engine: Engine
  /** The log that the node keeps for its next start. */
  readonly local: LocalLog
  readonly lastLsn: number
  /** Finds this node's position in the log.
   *  @throws DivergedError nowhere */
  readonly locate: (connection: Connection, position: Position | undefined) => Promise<Position>
  readonly onLost: (error: unknown) => void
  readonly onFound: () => void
  /** Called when the log is not the one that this node has followed. */
  readonly onDiverged: (error: DivergedError) => void
  /** Called when the copy is no longer written. */
  readonly onCopyFailed: (error: unknown) => void
}

/** The log in PostgreSQL as one node appends to it and follows it. */
export class SharedLog implements CommitLog {
  readonly #options: SharedLogOptions
  /** Held while appending, or while taking what others have appended. */
  readonly #mutex = new Mutex()
  readonly #session: LogSession
  readonly #clock: ClockComparison
  #position: Position | undefined
  #lsn: number
  /** The connection whose transaction this node is in. */
  #turn: Connection | undefined
  #endTurn: () => void = () => undefined
  #take: (commits: readonly Commit[]) => void = () => undefined
  #isCopied = true
  #hasDiverged = false
  /** Set for good: what a later version has written cannot be followed. */
  #newer: NewerVersionError | OtherSchemaError | undefined

  constructor(options: SharedLogOptions) {
    this.#options = options
    this.#lsn = options.lastLsn
    this.#clock = new ClockComparison(options)
    this.#session = new LogSession({
      ...options,
      accept: connection => this.compare(connection),
      onProblem: error => this.#noteDivergence(error),
    })
  }

  /** Undefined before this node has found its position. */
  get position(): Position | undefined {
    return this.#position
  }

  /** The last commit of the log that this node has. */
  get lsn(): number {
    return this.#lsn
  }

  /** Whether the copy could not be written: it stays as it was then. */
  get isCopyBehind(): boolean {
    return !this.#isCopied
  }

  /** Why no change can be made; undefined while they can be. */
  get problem(): string | undefined {
    if (this.refusal !== undefined || !this.#session.isLost) return this.refusal
    return 'the PostgreSQL that the nodes share cannot be reached'
  }

  /** Why this node may not change anything although PostgreSQL can be reached; undefined while it may. */
  get refusal(): string | undefined {
    return this.#newer?.message ?? this.#clock.problem
  }

  follow(take: (commits: readonly Commit[]) => void): void {
    this.#take = take
  }

  /** Connects. Resolves when that has succeeded or failed once; retries continue. */
  start(): Promise<void> {
    return this.#session.start()
  }

  async begin(): Promise<void> {
    const deadline = performance.now() + patienceMs
    for (;;) {
      if (this.refusal !== undefined) throw notMade(new Error(this.refusal))
      const connection = await this.#session.connected(deadline)
      try {
        // A turn delays other nodes, so commits being taken are awaited before it.
        await this.#mutex.drained()
        const { end, batches } = await this.#takeTurn(connection)
        await this.#enter()
        await this.#receive(batches.filter(({ last }) => last > this.#lsn))
        const hasAll = this.#lsn >= end.lsn || batches.length === 0
        if (hasAll) this.#requireHead(end)
        if (hasAll && this.refusal === undefined) {
          this.#turn = connection
          return
        }
        await connection.query('rollback')
      } catch (error) {
        this.#session.lose(connection, error)
        if (performance.now() > deadline) throw notMade(error)
      } finally {
        if (this.#turn === undefined) this.#leave()
      }
    }
  }

  async end(): Promise<void> {
    const connection = this.#turn
    try {
      await connection?.query('rollback')
    } catch (error) {
      if (connection !== undefined) this.#session.lose(connection, error)
    } finally {
      this.#leave()
    }
  }

  async append(commits: readonly Commit[], meanwhile: Meanwhile): Promise<void> {
    const { local } = this.#options
    try {
      const pieces = await local.encode(commits)
      const entries = pieces.map(
        each => (each.length === 1 ? each[0] : Buffer.concat(each)) as Buffer,
      )
      const append = appendOf(commits, entries, this.#known())
      const written = this.#write(append)
      meanwhile()
      await written
      this.#advance({ lsn: append.last, link: append.link })
      await this.#copy(commits, pieces)
    } catch (error) {
      // Whatever keeps a batch from being asked for leaves the turn open.
      const isAnswered = error instanceof StoreUnavailableError
      if (!isAnswered && this.#turn !== undefined) this.#session.lose(this.#turn, error)
      throw error
    } finally {
      this.#leave()
    }
  }

  /** Checks whether the log of a new connection is the one that this node has followed.
   *  @throws DivergedError it is not */
  async compare(connection: Connection): Promise<void> {
    try {
      const position = await this.#options.locate(connection, this.#position)
      this.#position ??= position
    } catch (error) {
      this.#noteDivergence(error)
      throw error
    }
  }

  /** Asks where the log ends, and for the batches behind what this node has. */
  async readEnd(connection: Connection): Promise<LogEnd> {
    try {
      return await this.#clock.during(() => readEnd(connection, this.#lsn))
    } catch (error) {
      if (error instanceof OtherSchemaError) this.#newer ??= error
      throw error
    }
  }

  /** Whether this node has a commit, once work in progress is done. */
  async reaches(lsn: number): Promise<boolean> {
    return this.#lsn >= lsn || this.#mutex.run(async () => this.#lsn >= lsn)
  }

  /** Takes batches of the log that others have appended, as far as they continue what this node has.
   *  @returns whether they do */
  takeOthers(batches: readonly LogBatch[]): Promise<boolean> {
    return this.#takeThose(batches, () => true)
  }

  /** As `takeOthers`, of a batch in a notice. Any session of the database may send notices, so one that does not continue what
   *  this node has says nothing of the log.
   *  @returns false if the log has to be asked */
  takeNotice(batch: LogBatch): Promise<boolean> {
    return this.#takeThose([batch], () => continues(this.#known(), batch))
  }

  async #takeThose(batches: readonly LogBatch[], mayTake: () => boolean): Promise<boolean> {
    if (batches.every(({ last }) => last <= this.#lsn)) return true
    return this.#mutex.run(async () => {
      // Before this node's position is known, nothing can be taken.
      if (this.#position === undefined) return false
      const fresh = batches.filter(({ last }) => last > this.#lsn)
      if (fresh.length === 0) return true
      if (fresh[0]?.first !== this.#lsn + 1 || !mayTake()) return false
      try {
        await this.#receive(fresh)
      } catch (error) {
        this.#noteDivergence(error)
        throw error
      }
      return true
    })
  }

  /** Refuses changes until there is a new connection: the server has been silent on all of them. */
  noteSilence(error: unknown): void {
    this.#session.noteSilence(error)
  }

  /** Stops waiting for connections, except briefly to settle what is in doubt. */
  beginClosing(): void {
    this.#session.beginClosing()
  }

  /** Ends everything. To be called when no more requests come. */
  stop(): Promise<void> {
    return this.#session.stop()
  }

  /** Takes the place, which `#leave` gives back. */
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

  #leave(): void {
    this.#turn = undefined
    this.#endTurn()
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
    const [begun, locked, state] = await Promise.all(
      connection.together(
        () =>
          [
            connection.query('begin isolation level read committed'),
            connection.query({ name: 'turn', text: 'select pg_advisory_xact_lock($1)' }, [
              locks.turn,
            ]),
            this.readEnd(connection),
          ] as const,
      ),
    )
    const commands = `${begun.command},${locked.command}`
    if (commands !== 'BEGIN,SELECT') throw new Error(`the server answers ${commands}`)
    // The next connection says what is missing.
    if (!state.hasStandby && !this.#options.engine.acceptsLoss)
      throw new Error('PostgreSQL no longer has a synchronous standby')
    return state
  }

  #requireHead(head: Position): void {
    const { lsn, link } = this.#known()
    // Nobody writes during a turn: if this node stood still, the server has ended it before the answer was read.
    if (head.lsn < lsn) throw new Error('the turn ended before it was used')
    if (head.lsn !== lsn || !head.link.equals(link))
      throw new DivergedError(`the log ends at ${head.lsn}, and this node is at another ${lsn}`)
  }

  /** Passes on what others have appended, once the copy has it. */
  async #receive(batches: readonly LogBatch[]): Promise<void> {
    const slice = new TimeSlice()
    for (const batch of batches) {
      const { first, last, link, body } = batch
      if (!continues(this.#known(), batch))
        throw new DivergedError(`batch ${first} does not go on from what this node has`)
      const entries = entriesIn(body)
      const commits: Commit[] = []
      for (const [i, entry] of entries.entries()) {
        const commit = commitOfEntry(first + i, entry)
        this.#requireKnown(commit)
        commits.push(commit)
        if (slice.isSpent) await slice.yield()
      }
      await this.#copy(
        commits,
        entries.map(entry => [entry]),
      )
      this.#advance({ lsn: last, link })
      this.#take(commits)
    }
  }

  /** Nothing of a batch is taken if a commit of it cannot be. @throws NewerVersionError */
  #requireKnown({ rowChanges }: Commit): void {
    const unknown = rowChanges.find(({ collection }) => !known.has(collection))
    if (unknown === undefined) return
    const error = new NewerVersionError(unknown.collection)
    this.#newer ??= error
    throw error
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
    const { node } = this.#options.engine
    let connection = this.#turn
    while (connection === undefined || !(await tryAppend(connection, append, node))) {
      // In doubt, until the log is looked at in a turn.
      const { found, turn } = await this.#settle(append)
      if (found === 'there') return
      if (found === 'gone') throw notMade(new Error('others have written meanwhile'))
      connection = turn
    }
  }

  /** Determines the outcome of a batch as soon as possible. */
  async #settle(append: Append) {
    for (;;) {
      const turn = await this.#session.connectedAtLast()
      try {
        const found = await findAppend(turn, append)
        if (found !== undefined) return { found, turn }
      } catch (error) {
        this.#session.lose(turn, error)
      }
    }
  }

  #noteDivergence(error: unknown): void {
    if (!(error instanceof DivergedError) || this.#hasDiverged) return
    this.#hasDiverged = true
    this.#session.giveUp(error)
    this.#options.onDiverged(error)
  }
}
