import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Duty } from '../../cluster/duty.ts'
import { parseName } from '../../dns/name.ts'
import { isNewerSerial } from '../../dns/serial.ts'
import { formatHostPort } from '../../host-port.ts'
import type { Endpoint } from '../../model/masters.ts'
import type { Pool } from '../../model/pool.ts'
import { checkedServersOf, notifiedServersOf } from '../../model/pool-attributes.ts'
import type { Zone } from '../../model/zone.ts'
import { holdsZone, type TargetReport } from '../../model/zone-state.ts'
import { Semaphore, type SemaphoreLimits } from '../../semaphore.ts'
import { everything } from '../../store/indexes.ts'
import type { Commit, Store, StoreReader } from '../../store/store.ts'
import { TimeSlice } from '../../time-slice.ts'
import { rowPages } from '../listing/row-pages.ts'
import type { ExternalTargetClient, ProbeResult } from './external-target-client.ts'
import type { HostAddresses } from './host-addresses.ts'
import {
  type NotifyTarget,
  namedTargets,
  nameServerTargets,
  otherNameServers,
} from './notify-targets.ts'

// The external targets that pools name are notified of changes, and queried until they serve them. The other name servers of
// zones are only notified. Answers are kept in memory only; after a restart the targets are queried again. Every wait is
// bounded: then the zone shows the problem instead of waiting in silence, and a later round queries again. Of several nodes
// each one queries, and the one with the duty notifies.

type ExternalTargetsOptions = {
  readonly store: Store
  readonly duty: Duty
  readonly client: ExternalTargetClient
  readonly hosts: HostAddresses
  /** Called with each server that has not acknowledged a NOTIFY. */
  readonly onUnacknowledged: (zone: Zone, server: string, reason: string) => void
  /** Called with an error of this server. */
  readonly onBroken: (zone: Zone, error: unknown) => void
  /** Waits, or rejects when `signal` says so. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<unknown>
  readonly limits?: SemaphoreLimits
}

/** Changes that follow each other closely are notified once. */
const collectMs = 100
/** How long a NOTIFY is usually due at most: it waits for its turn, and for servers that do not answer. */
const dueMicros = 300 * 1_000_000
/** Waits between queries: a transfer takes a moment, or half a minute. After the last one the zone is in ERROR. */
const retriesMs = [200, 400, 800, 1_500, 3_000, 5_000, 8_000, 10_000, 15_000]
/** For a server that has lately answered no query at all. */
const silentRetriesMs = [1_000]
/** Between two NOTIFY to name servers of zones, for one project and for one address. */
const turnMs = 100
/** The most name servers remembered. */
const maxUnacknowledging = 1000
const defaultLimits: SemaphoreLimits = { maxRunning: 128, maxRunningPerKey: 32 }
/** For each project: a NOTIFY that is not acknowledged takes half a minute, and a project may name any number of addresses. */
const strangerLimits: SemaphoreLimits = { maxRunning: 64, maxRunningPerKey: 8 }

/** The known state of a zone at the external targets. */
type Watch = {
  zone: Zone
  readonly reportByServer: Map<string, TargetReport>
  /** Ends the waits of the running round when there is a newer version to ask for. */
  newer: AbortController
  isStale: boolean
  isRunning: boolean
}

/** How far a server is behind. */
type ServerLag = {
  /** Zones of which it does not have the last version. */
  readonly zoneCount: number
  /** When the first of them has changed; infinite where there is none. */
  readonly sinceMicros: number
}
const noLag: ServerLag = { zoneCount: 0, sinceMicros: Number.POSITIVE_INFINITY }

/** Notifies and watches the external targets. */
export class ExternalTargets {
  /** Called with a zone that is being deleted, once no external server serves it any more. */
  onReleased: (zone: Zone) => void = () => undefined
  readonly #options: ExternalTargetsOptions
  readonly #pause: NonNullable<ExternalTargetsOptions['pause']>
  readonly #semaphore: Semaphore
  /** For NOTIFY to name servers of zones. */
  readonly #strangers = new Semaphore(strangerLimits)
  readonly #watchByZone = new Map<string, Watch>()
  readonly #silent = new Set<string>()
  readonly #runs = new Set<Promise<void>>()
  readonly #stop = new AbortController()
  readonly #turns = new Semaphore({ maxRunning: Number.POSITIVE_INFINITY, maxRunningPerKey: 1 })
  /** Name servers of zones that did not acknowledge the last NOTIFY: the next one is sent to them only once. */
  readonly #unacknowledging = new Set<string>()
  readonly #notifyCounts = { acknowledged: 0, unacknowledged: 0 }

  constructor(options: ExternalTargetsOptions) {
    const { pause = (ms, signal) => delay(ms, undefined, { signal }) } = options
    this.#options = options
    this.#pause = pause
    this.#semaphore = new Semaphore(options.limits ?? defaultLimits)
  }

  /** What each server that the zone's pool checks serves, as far as known. */
  reportsOf(zone: Zone): readonly TargetReport[] {
    const pool = this.#options.store.get('pools', zone.poolId)
    if (pool === undefined) return []
    const reports = this.#watchByZone.get(zone.id)?.reportByServer
    return checkedServersOf(pool).map(server => {
      const target = formatHostPort(server)
      return reports?.get(target) ?? this.#unheard(target)
    })
  }

  /** Handles the changes of zones and pools in a commit, once it is served here. */
  commitPublished({ rowChanges }: Pick<Commit, 'rowChanges'>): void {
    for (const change of rowChanges) {
      if (change.collection === 'pools') {
        const { before, after } = change
        const isOther = !isDeepStrictEqual(before?.attributes, after?.attributes)
        if (before !== undefined && after !== undefined && isOther) void this.#poolChanged(after)
      }
      if (change.collection !== 'zones') continue
      const { before, after } = change
      const isGone = after === undefined || after.isAbandoned === true
      if (isGone) this.#forget(change.id)
      else if (!isSameToServers(before, after)) this.zoneChanged(after)
    }
  }

  /** Handles a zone that has changed or is being deleted. Cheap where no external server is concerned. */
  zoneChanged(zone: Zone): void {
    const { store } = this.#options
    const pool = store.get('pools', zone.poolId)
    if (pool === undefined || this.#stop.signal.aborted) return
    if (!hasExternalTargets(pool) && otherNameServers(store, zone, pool).length === 0) return
    const watch = this.#watchByZone.get(zone.id) ?? newWatch(zone)
    this.#watchByZone.set(zone.id, watch)
    watch.zone = zone
    watch.isStale = true
    watch.newer.abort()
    if (!watch.isRunning) this.#start(watch)
  }

  /** Starts a round for all zones of a pool, whose servers may have changed. */
  async #poolChanged(pool: Pool): Promise<void> {
    const slice = new TimeSlice()
    const { store } = this.#options
    for (const zones of rowPages(store, 'zones', { index: 'byPool', key: pool.id })) {
      for (const zone of zones) {
        if (hasExternalTargets(pool)) this.zoneChanged(zone)
        else this.#forget(zone.id)
      }
      if (slice.isSpent) await slice.yield()
    }
  }

  /** Starts a round for all zones that pools name external targets of, and for the copies that were transferred last: at start, and
   *  when this node becomes the one that notifies. */
  async start(): Promise<void> {
    const { store } = this.#options
    // Before anything is transferred.
    const lastIds = this.#options.duty.isHeld ? idsOfLastCopies(store) : []
    for (const pool of [...store.list('pools', 'all', everything)]) {
      if (hasExternalTargets(pool)) await this.#poolChanged(pool)
    }
    const slice = new TimeSlice()
    for (const id of lastIds) {
      const zone = store.get('zones', id)
      const pool = zone && store.get('pools', zone.poolId)
      if (zone && pool && !hasExternalTargets(pool)) this.zoneChanged(zone)
      if (slice.isSpent) await slice.yield()
    }
  }

  /** Starts another round for the zones with a problem. */
  recheck(): void {
    for (const watch of this.#watchByZone.values()) {
      const hasProblem = [...watch.reportByServer.values()].some(
        ({ problem }) => problem !== undefined,
      )
      if (hasProblem && !watch.isRunning) this.zoneChanged(watch.zone)
    }
  }

  /** Changed zones of which no external server has been notified yet. */
  get unnotifiedCount(): number {
    let count = 0
    for (const { isStale } of this.#watchByZone.values()) count += Number(isStale)
    return count
  }

  /** Since the start: NOTIFY that were acknowledged or not, each counted once however often it was sent. */
  get notifyCounts(): Readonly<Record<'acknowledged' | 'unacknowledged', number>> {
    return this.#notifyCounts
  }

  /** Each queried server, with the zones of which it is known not to have the last version. O(zones). */
  get lags(): ReadonlyMap<string, ServerLag> {
    const lags = new Map<string, ServerLag>()
    for (const { zone, reportByServer } of this.#watchByZone.values()) {
      for (const [server, report] of reportByServer) {
        const { zoneCount, sinceMicros } = lags.get(server) ?? noLag
        const isBehind = !isDone(zone, report)
        const changedMicros = isBehind ? (zone.updatedAt ?? zone.createdAt) : sinceMicros
        lags.set(server, {
          zoneCount: zoneCount + Number(isBehind),
          sinceMicros: Math.min(sinceMicros, changedMicros),
        })
      }
    }
    return lags
  }

  /** Ends all waits and resolves when no round is running any more. Idempotent. */
  async close(): Promise<void> {
    this.#stop.abort()
    for (const { newer } of this.#watchByZone.values()) newer.abort()
    await this.idle()
  }

  /** Resolves when no round is running: each server serves what is wanted, or has used up its attempts. */
  async idle(): Promise<void> {
    while (this.#runs.size > 0) await Promise.all(this.#runs)
  }

  #forget(zoneId: string): void {
    this.#watchByZone.get(zoneId)?.newer.abort()
    this.#watchByZone.delete(zoneId)
  }

  /** A server that answers nobody is not waited for. */
  #unheard(target: string): TargetReport {
    const problem = this.#silent.has(target) ? 'no answer' : undefined
    return { target, serial: undefined, isUnheard: true, problem }
  }

  #start(watch: Watch): void {
    watch.isRunning = true
    const run = this.#run(watch).finally(() => this.#runs.delete(run))
    this.#runs.add(run)
  }

  async #run(watch: Watch): Promise<void> {
    try {
      while (watch.isStale && !this.#stop.signal.aborted) {
        await this.#wait(collectMs, this.#stop.signal)
        watch.isStale = false
        watch.newer = new AbortController()
        await this.#round(watch, AbortSignal.any([watch.newer.signal, this.#stop.signal]))
      }
    } catch (error) {
      this.#options.onBroken(watch.zone, error)
    } finally {
      watch.isRunning = false
    }
  }

  async #round(watch: Watch, signal: AbortSignal): Promise<void> {
    const { zone } = watch
    const pool = this.#options.store.get('pools', zone.poolId)
    if (pool === undefined) return
    await Promise.all([
      // A deleted zone cannot be transferred, so there is nothing to notify of.
      ...(zone.isDeleting || !this.#options.duty.isHeld
        ? []
        : [this.#notifyAll(zone, pool, signal)]),
      ...checkedServersOf(pool).map(server => this.#watchServer(watch, server, signal)),
    ])
    if (zone.isDeleting && !signal.aborted && !this.reportsOf(zone).some(holdsZone)) {
      this.onReleased(zone)
    }
  }

  async #notifyAll(zone: Zone, pool: Pool, signal: AbortSignal): Promise<void> {
    const { store, hosts, onUnacknowledged } = this.#options
    const { targets, withoutKey } = namedTargets(store, zone, pool)
    for (const server of withoutKey)
      onUnacknowledged(zone, formatHostPort(server), 'there is no such key for the zone')
    const others = await nameServerTargets(store, { zone, pool, hosts })
    await Promise.all([...targets, ...others].map(target => this.#notify(zone, target, signal)))
  }

  async #notify(zone: Zone, target: NotifyTarget, signal: AbortSignal): Promise<void> {
    const name = formatHostPort(target)
    const isStrangers = target.namedBy === 'project'
    if (isStrangers) await this.#takeTurn(zone, name, signal)
    const options = { signal, ...(this.#unacknowledging.has(name) && { maxAttempts: 1 }) }
    const send = async () =>
      signal.aborted
        ? undefined
        : this.#options.client.notify(target, parseName(zone.name), options)
    const problem = await (isStrangers
      ? this.#strangers.run(zone.projectId, send)
      : this.#semaphore.run(`notify ${name}`, send))
    if (signal.aborted) return
    this.#notifyCounts[problem === undefined ? 'acknowledged' : 'unacknowledged'] += 1
    if (problem === undefined) this.#unacknowledging.delete(name)
    else if (isStrangers) this.#noteUnacknowledging(name)
    else this.#options.onUnacknowledged(zone, name, problem)
  }

  /** Limits the rate of NOTIFY to addresses that a project has chosen, for the project and for the address: this server must
   *  not flood others. */
  async #takeTurn(zone: Zone, name: string, signal: AbortSignal): Promise<void> {
    for (const key of [`project ${zone.projectId}`, `address ${name}`]) {
      await this.#turns.run(key, async () => {
        if (!signal.aborted) await this.#wait(turnMs, signal)
      })
    }
  }

  #noteUnacknowledging(name: string): void {
    if (this.#unacknowledging.size >= maxUnacknowledging) this.#unacknowledging.clear()
    this.#unacknowledging.add(name)
  }

  /** Queries one server until it serves what is stored, or its attempts are used up. */
  async #watchServer(watch: Watch, server: Endpoint, signal: AbortSignal): Promise<void> {
    const { zone, reportByServer } = watch
    const target = formatHostPort(server)
    const waitsMs = this.#silent.has(target) ? silentRetriesMs : retriesMs
    for (let i = 0; !signal.aborted; i += 1) {
      const result = await this.#probe(zone, server, signal)
      if (signal.aborted) return
      const isLast = i === waitsMs.length
      const known = reportByServer.get(target) ?? this.#unheard(target)
      const report = reportFor(zone, { target, result, known, isLast })
      reportByServer.set(target, report)
      if (result.kind !== 'failed') this.#silent.delete(target)
      else if (isLast) this.#silent.add(target)
      if (isLast || isDone(zone, report)) return
      await this.#wait(waitsMs[i] ?? 0, signal)
    }
  }

  #probe(zone: Zone, server: Endpoint, signal: AbortSignal): Promise<ProbeResult> {
    return this.#semaphore.run(formatHostPort(server), async () => {
      if (signal.aborted) return { kind: 'failed', reason: 'not wanted any more' }
      return this.#options.client.probe(server, parseName(zone.name), signal)
    })
  }

  async #wait(ms: number, signal: AbortSignal): Promise<void> {
    try {
      await this.#pause(ms, signal)
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }
}

/** The copies of which a NOTIFY may have been due when the server stopped. */
function idsOfLastCopies(reader: StoreReader): readonly string[] {
  const copies = [...reader.list('zones', 'secondaries', everything)]
  const times = copies.map(({ transferredAt }) => transferredAt ?? 0)
  const lastAt = times.reduce((last, at) => Math.max(last, at), 0)
  return copies.flatMap(({ id, transferredAt }) =>
    transferredAt !== null && transferredAt > lastAt - dueMicros ? id : [],
  )
}

type Finding = {
  readonly target: string
  readonly result: ProbeResult
  readonly known: TargetReport
  readonly isLast: boolean
}

/** The report after an answer. An earlier problem stays in it until it is solved, so that a zone does not go back and forth
 *  between ERROR and PENDING with each round. */
function reportFor(zone: Zone, { target, result, known, isLast }: Finding): TargetReport {
  if (result.kind === 'failed') {
    return { ...known, problem: isLast ? result.reason : known.problem }
  }
  const serial = result.kind === 'serves' ? result.serial : undefined
  const report = { target, serial, problem: undefined }
  if (isDone(zone, report)) return report
  return { ...report, problem: isLast ? problemFor(zone, serial) : known.problem }
}

function isDone(zone: Zone, { serial, isUnheard = false }: TargetReport): boolean {
  if (isUnheard) return false
  if (zone.isDeleting) return serial === undefined
  return serial !== undefined && !isNewerSerial(zone.serial, serial)
}

function problemFor(zone: Zone, serial: number | undefined): string {
  if (zone.isDeleting) return `it still serves the zone, with serial ${serial}`
  if (serial === undefined) return 'it does not serve the zone'
  return `it serves serial ${serial} and not ${zone.serial}`
}

/** Whether a change does not concern the servers of the zone, such as another description. */
function isSameToServers(before: Zone | undefined, after: Zone): boolean {
  return (
    before?.serial === after.serial &&
    before.isDeleting === after.isDeleting &&
    before.poolId === after.poolId &&
    before.transferredAt === after.transferredAt
  )
}

function hasExternalTargets(pool: Pool): boolean {
  return checkedServersOf(pool).length > 0 || notifiedServersOf(pool).length > 0
}

function newWatch(zone: Zone): Watch {
  return {
    zone,
    reportByServer: new Map(),
    newer: new AbortController(),
    isStale: true,
    isRunning: false,
  }
}
