import { setTimeout as delay } from 'node:timers/promises'
import {
  type Cluster,
  type Node,
  stronger,
  type TransferReason,
  transferReasons,
} from '../../cluster/cluster.ts'
import { ChangingDuty } from '../../cluster/duty.ts'
import { StoreUnavailableError } from '../store.ts'
import { endStalledTurn } from './append.ts'
import { ClockComparison, type ClockComparisonOptions, clockText } from './clock-comparison.ts'
import type { Connection } from './connection.ts'
import { readDuty, takeDuty } from './duty.ts'
import type { Engine } from './engine.ts'
import { NodeNameError } from './errors.ts'
import {
  announce,
  goneSeconds,
  type NodeRow,
  notableClockSeconds,
  type OwnNode,
  readClock,
  readNodes,
  removeNode,
  takeName,
} from './nodes.ts'
import { channels } from './schema.ts'

export type SharedClusterOptions = ClockComparisonOptions & {
  readonly engine: Engine
  /** What this node reports about itself at present. */
  readonly own: () => Omit<OwnNode, 'name' | 'url' | 'clockAheadSeconds'>
  /** Why this node may not change anything, for another reason than its clock. */
  readonly refusal?: () => string | undefined
  /** Whether PostgreSQL makes no changes at present: an earlier session of this node may wait for one, and has the name until then. */
  readonly isHeldUp?: () => boolean
  /** Where others reach its API, as far as the settings say. */
  readonly url: string
  /** Called with an error that keeps the node from taking part; it is retried. */
  readonly onProblem: (error: unknown) => void
  /** Called with a problem that an operator has to fix; once, until it is fixed. */
  readonly onMisfit?: (problem: string) => void
}

/** The interval of the query that requests, and holds, the duty. */
const askEveryMs = 500
/** A holder that gets no answer for this long gives up the duty, before the server gives it to another node: the server ends a
 *  session that has been silent for longer. */
const patienceMs = 2000
const idleMs = 3000
const announceEveryMs = 2000
const firstPauseMs = 50
const longestPauseMs = 1000
/** Bounds the notices waiting to be passed on. Zones beyond them that are to be transferred are found when they fall due. */
const maxNotices = 10_000
const passedAtOnce = 100

type Misfit = 'name' | 'clock' | 'refusal' | 'exposure'

/** A notice to the other nodes: to the one that has the duty or, for a sync, to all. */
type Notice =
  | { readonly zone: string; readonly reason: TransferReason }
  | { readonly zone: string | undefined; readonly reason: 'sync'; readonly node: string }

/** A node among those that share a store: it announces itself, has the duty or requests it, and receives notices from others.
 *  All of this uses one session, which proves that the node is alive. */
export class SharedCluster implements Cluster {
  readonly node: string
  readonly duty = new ChangingDuty()
  readonly #options: SharedClusterOptions
  readonly #clock: ClockComparison
  readonly #closing = new AbortController()
  /** Notices to be passed on, without duplicates. */
  readonly #notices = new Map<string, Notice>()
  #handleSync: (zoneId: string | undefined) => void = () => undefined
  #handle: (zoneId: string, reason: TransferReason) => void = () => undefined
  #known:
    | { readonly rows: readonly NodeRow[]; readonly holder: string; readonly atMs: number }
    | undefined
  #connection: Connection | undefined
  #running: Promise<void> | undefined
  #wake: () => void = () => undefined
  #url: string
  readonly #misfits = new Set<string>()
  #namelessSince: number | undefined
  #pauseMs = firstPauseMs
  #announcedMs = Number.NEGATIVE_INFINITY

  constructor(options: SharedClusterOptions) {
    this.#options = options
    this.#clock = new ClockComparison(options)
    this.#url = options.url
    this.node = options.engine.node
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** Gives up the duty, at once for the others. Idempotent. */
  async close(): Promise<void> {
    this.#closing.abort()
    this.#wake()
    this.duty.lose()
    await this.#connection?.close()
    await this.#running
  }

  get nodeCount(): number {
    return Math.max(1, this.nodes().filter(({ isLive }) => isLive).length)
  }

  nodes(): readonly Node[] {
    if (this.#known === undefined) return []
    const { rows, holder, atMs } = this.#known
    const sinceSeconds = (performance.now() - atMs) / 1000
    return rows.map(row => {
      const seenSecondsAgo = row.seenSecondsAgo + sinceSeconds
      const isLive = row.name === this.node || seenSecondsAgo < goneSeconds
      const problem = this.#clock.problemOf(row.clockAheadSeconds)
      return { ...row, seenSecondsAgo, isLive, hasDuty: isLive && row.name === holder, problem }
    })
  }

  async remove(name: string): Promise<'unknown' | 'live' | undefined> {
    const problem = await this.#options.engine
      .use(connection => removeNode(connection, name))
      .catch(cause => {
        throw new StoreUnavailableError('The node is not removed', { cause })
      })
    if (problem === undefined && this.#known !== undefined) {
      const rows = this.#known.rows.filter(row => row.name !== name)
      this.#known = { ...this.#known, rows }
    }
    return problem
  }

  isGone(node: string | undefined): boolean {
    if (node === this.node || this.#known === undefined) return false
    return this.nodes().find(({ name }) => name === node)?.isLive !== true
  }

  reachedAt(url: string): void {
    this.#url = url
    this.#announcedMs = Number.NEGATIVE_INFINITY
    this.#wake()
  }

  wantTransfer(zoneId: string, reason: TransferReason): void {
    const known = this.#notices.get(zoneId)?.reason
    const before = known === 'sync' ? undefined : known
    this.#passOn(zoneId, { zone: zoneId, reason: stronger(before, reason) })
  }

  handleTransfers(handle: (zoneId: string, reason: TransferReason) => void): void {
    this.#handle = handle
  }

  passOnSync(zoneId?: string): void {
    const { node } = this
    this.#passOn(`sync ${zoneId}`, { zone: zoneId, reason: 'sync', node })
  }

  handleSyncs(handle: (zoneId: string | undefined) => void): void {
    this.#handleSync = handle
  }

  #passOn(key: string, notice: Notice): void {
    if (this.#notices.size >= maxNotices && !this.#notices.has(key)) return
    this.#notices.set(key, notice)
    this.#wake()
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      try {
        await this.#takePart()
      } catch (error) {
        if (!signal.aborted) this.#options.onProblem(error)
        if (error instanceof NodeNameError) this.#noteNameless(error)
      }
      this.duty.lose()
      this.#connection?.destroy()
      await delay(this.#pauseMs, undefined, { signal }).catch(() => undefined)
      this.#pauseMs = Math.min(2 * this.#pauseMs, longestPauseMs)
    }
  }

  /** Takes part until the session is over. */
  async #takePart(): Promise<void> {
    const { engine } = this.#options
    const connection = await engine.connect({ purpose: 'duty', patienceMs, idleMs })
    this.#connection = connection
    this.#noteMisfit('exposure', connection.server.exposures.join('; ') || undefined)
    void connection.ended.then(() => {
      if (this.#connection === connection) this.duty.lose()
      this.#wake()
    })
    // Of two servers with one name only one takes part.
    if (!(await takeName(connection, this.node))) throw new NodeNameError(this.node)
    this.#namelessSince = undefined
    this.#noteMisfit('name', undefined)
    await connection.listen(channels.notify, notice => this.#noticed(notice))
    this.#pauseMs = firstPauseMs
    this.#announcedMs = Number.NEGATIVE_INFINITY
    while (!connection.isOver && !this.#closing.signal.aborted) {
      const isDue = performance.now() - this.#announcedMs >= announceEveryMs
      if (isDue) await this.#announce(connection)
      await this.#ask(connection)
      // What a node that takes the duty wants comes to itself.
      await this.#pass(connection)
      if (isDue) await this.#look(connection)
      await this.#rest()
    }
    if (!this.#closing.signal.aborted) throw await connection.ended
  }

  async #announce(connection: Connection): Promise<void> {
    await this.#clock.during(() => readClock(connection))
    const { aheadSeconds: clockAheadSeconds } = this.#clock
    const problem = this.#refusal
    const isNotable = Math.abs(clockAheadSeconds) > notableClockSeconds && problem === undefined
    this.#noteMisfit('clock', isNotable ? clockText(clockAheadSeconds) : undefined)
    this.#noteMisfit('refusal', problem && `${problem}: it takes no changes and no duty`)
    this.#announcedMs = performance.now()
    const own = this.#options.own()
    await announce(connection, { ...own, name: this.node, url: this.#url, clockAheadSeconds })
  }

  /** A session of this node that is lost keeps the name for a while. */
  #noteNameless(error: NodeNameError): void {
    this.#namelessSince ??= performance.now()
    const isLong = performance.now() - this.#namelessSince > idleMs
    if (isLong && !this.#options.isHeldUp?.()) this.#noteMisfit('name', error.message)
  }

  #noteMisfit(kind: Misfit, problem: string | undefined): void {
    if (problem === undefined) this.#misfits.delete(kind)
    else if (!this.#misfits.has(kind)) {
      this.#misfits.add(kind)
      this.#options.onMisfit?.(problem)
    }
  }

  get #refusal(): string | undefined {
    return this.#clock.problem ?? this.#options.refusal?.()
  }

  /** Takes the duty if it is free and nothing forbids it, or checks that this node still has it, and then ends a turn that has stalled. */
  async #ask(connection: Connection): Promise<void> {
    const problem = this.#refusal
    if (!this.duty.isHeld) {
      if (problem !== undefined) return
      const epoch = await takeDuty(connection, this.node)
      if (epoch !== undefined && !this.#closing.signal.aborted) this.duty.take(epoch)
      return
    }
    // With the session, the lock of the duty ends.
    if (problem !== undefined) throw new Error(problem)
    const { epoch, node } = await readDuty(connection)
    if (epoch !== this.duty.epoch || node !== this.node)
      throw new Error('another node has taken the duty')
    await endStalledTurn(connection)
  }

  async #look(connection: Connection): Promise<void> {
    const [rows, { node }] = await Promise.all([readNodes(connection), readDuty(connection)])
    this.#known = { rows, holder: node, atMs: performance.now() }
  }

  /** What cannot be sent is kept for the next session. */
  async #pass(connection: Connection): Promise<void> {
    const some = [...this.#notices].slice(0, passedAtOnce)
    await Promise.all(
      some.map(async ([key, notice]) => {
        const values = [channels.notify, JSON.stringify(notice)]
        await connection.query({ name: 'notify', text: 'select pg_notify($1, $2)' }, values)
        if (this.#notices.get(key) === notice) this.#notices.delete(key)
      }),
    )
  }

  #noticed(notice: string): void {
    const passed = noticeIn(notice)
    if (passed === undefined) return
    if (passed.reason === 'sync') {
      if (passed.node !== this.node) this.#handleSync(passed.zone)
    } else if (this.duty.isHeld) this.#handle(passed.zone, passed.reason)
  }

  /** Waits until it is time to ask again, or there is something to pass on. */
  async #rest(): Promise<void> {
    if (this.#notices.size > 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#wake = resolve
    const timer = setTimeout(resolve, askEveryMs)
    await promise
    clearTimeout(timer)
  }
}

/** Undefined if it is none: any session of the database may send to the channel. */
function noticeIn(text: string): Notice | undefined {
  try {
    const { zone, reason, node } = JSON.parse(text)
    if (reason === 'sync' && (zone === undefined || typeof zone === 'string'))
      return { zone, reason, node }
    return transferReasons.includes(reason) && typeof zone === 'string'
      ? { zone, reason }
      : undefined
  } catch {
    return undefined
  }
}
