import type { Clock } from '../../clock.ts'
import type { CapturedFile, CapturedFiles } from '../../durable/captured-file.ts'
import { type FileSystem, realFiles } from '../../durable/file-system.ts'
import type { LogCut } from '../../durable/log-recovery.ts'
import { isForWantOfRoom } from '../../durable/writability.ts'
import { recordsetUnpacker } from '../../model/packed-recordset.ts'
import type { Instant } from '../../model/rating.ts'
import { recordsetAt } from '../../model/recordset-run.ts'
import { Mutex } from '../../mutex.ts'
import { ShardedMap } from '../../sharded-map.ts'
import type { Commit } from '../../store/store.ts'
import { inSlices, type Steps, TimeSlice } from '../../time-slice.ts'
import { Account, isSameOwner } from './account.ts'
import { ClockWatch, isGap } from './clock-watch.ts'
import { countsOfTally, type HourlyUsage, type UsageCount, type ZoneTally } from './hourly-usage.ts'
import type { MeteredZone, MeteredZones } from './metered-zones.ts'
import { beginOf, type Hour, hourOf, periodOf } from './tally.ts'
import { type Recovered, UsageJournal } from './usage-journal.ts'
import { ZoneReadings } from './zone-readings.ts'

/** An event that an operator should know of. */
export type MeterEvent =
  /** The clock was set back: no time is metered until it has caught up or is believed. */
  | { readonly kind: 'clock-behind'; readonly millis: number }
  /** The clock has stayed behind and is believed: metering goes back to its time and meters the hours from there again. */
  | { readonly kind: 'clock-believed'; readonly fromMillis: number; readonly toMillis: number }
  /** The clock has jumped further than is believed, or across time that is metered already: that time is left out. */
  | { readonly kind: 'gap'; readonly fromMillis: number; readonly toMillis: number }
  /** The end of the log was not whole. */
  | ({ readonly kind: 'log-cut' } & LogCut)
  /** The disk takes no writes at the start: usage is kept in memory until a flush succeeds. */
  | { readonly kind: 'not-durable'; readonly error: unknown }

export type MeterOptions = {
  /** Where the log is. */
  readonly folder: string
  readonly zones: MeteredZones
  /** Takes finished hours. */
  readonly hours: Pick<HourlyUsage, 'write' | 'usedUntil'>
  /** Called before hours from an instant on, which were final, are metered again. */
  readonly onTakenBack: (from: Instant) => Promise<void>
  readonly clock: Clock
  readonly onEvent: (event: MeterEvent) => void
  /** What changes a zone is booked at the instant of its commit and not at the one that was reached when it was seen:
   *  several nodes that see it at different times book the same. */
  readonly isBookedByCommit?: boolean
  readonly files?: FileSystem
}

/** Usage that is not final, and until when it is. */
export type OpenUsage = { readonly closedUntil: Instant; readonly counts: readonly UsageCount[] }

/** A segment of the log this long is replaced by a new one. */
const maxLogOctets = 64 * 2 ** 20

/** Meters usage by the hour, from the counters of the answering threads and the changes of zones.
 *
 *  Its time does not go back with the clock: while the clock is behind, queries are booked in the hour that was reached and
 *  no time passes. Only a clock that stays far behind is believed (`clock-watch.ts`). The open hours are in memory, and as
 *  of the last `flush` in the log; a finished hour is handed to `hours` and is final then. */
export class Meter implements CapturedFiles {
  readonly #options: MeterOptions
  readonly #journal: UsageJournal
  readonly #readings: ZoneReadings
  /** The open accounts, by zone. */
  readonly #accounts = new ShardedMap<Account>()
  /** Those with usage in an hour that is not closed. */
  readonly #closed = new Set<Account>()
  /** Accounts with changes that are not in the log. */
  #dirty = new Set<Account>()
  #nowMillis: number
  /** Of the last commit. */
  #commitMillis = 0
  /** The first hour that has not been handed over. */
  #firstHour: Hour
  /** The first hour that queries are still booked in. */
  #bookedHour: Hour
  /** The first hour that time is still booked in. */
  #timedHour: Hour
  readonly #clockWatch = new ClockWatch()
  readonly #flushes = new Mutex()
  #isStopped = false

  private constructor(options: MeterOptions, journal: UsageJournal, startMillis: number) {
    this.#options = options
    this.#journal = journal
    this.#nowMillis = startMillis
    this.#firstHour = hourOf(startMillis)
    this.#bookedHour = this.#firstHour
    this.#timedHour = this.#firstHour
    this.#readings = new ZoneReadings({
      count: (zoneNumber, at) => options.zones.count(zoneNumber, at),
      find: zoneNumber => {
        const zoneId = options.zones.findByNumber(zoneNumber)
        return zoneId === undefined ? undefined : this.#accounts.get(zoneId)
      },
      book: (account, at, amount) => {
        account.count(at, amount, this.#bookedHour)
        // The last answers of a zone may be read after its account was closed and written.
        if (!account.isOpen) this.#closed.add(account)
        this.#dirty.add(account)
      },
    })
  }

  /** Continues where the last run stopped, however it ended: zones that were created, deleted or transferred meanwhile are
   *  booked as their rows say. Hours that have ended since are handed over by the next flush: with many zones that takes
   *  seconds for each. Until it resolves, no zone may change and nothing may be answered.
   *  @throws DamageError the log is not as it was written */
  static async open(options: MeterOptions): Promise<Meter> {
    const { files = realFiles, folder, clock } = options
    const { journal, recovered, cut } = await UsageJournal.open(files, folder)
    if (cut !== undefined) options.onEvent({ kind: 'log-cut', ...cut })
    const meter = new Meter(options, journal, recovered?.atMillis ?? clock.nowMillis())
    if (recovered !== undefined) meter.#recover(recovered)
    meter.#reconcile()
    await meter.#keep().catch(error => {
      if (!isForWantOfRoom(error)) throw error
      options.onEvent({ kind: 'not-durable', error })
    })
    return meter
  }

  /** The usage as of the last flush. */
  capture(): readonly CapturedFile[] {
    return this.#journal.capture()
  }

  /** Hours that begin before are final. */
  get closedUntil(): Instant {
    return periodOf(this.#firstHour).begin
  }

  /** The usage of a project in the hours that are not handed over, as of the last flush, and which hours these are. O(zones),
   *  in small steps; again from the start if an hour is handed over meanwhile. */
  async openUsage(projectId: string): Promise<OpenUsage> {
    for (;;) {
      const { closedUntil } = this
      const counts = await inSlices(this.#openCounts(projectId))
      if (closedUntil === this.closedUntil) return { closedUntil, counts }
    }
  }

  *#openCounts(projectId: string): Steps<readonly UsageCount[]> {
    const counts: UsageCount[] = []
    for (const account of this.#all()) {
      yield
      const { owner } = account
      if (owner.projectId !== projectId) continue
      for (const { hour, tally } of account.talliesUntil(this.#nowMillis))
        if (hour >= this.#firstHour) counts.push(...countsOfTally({ owner, tally }, periodOf(hour)))
    }
    return counts
  }

  /** To be called with each commit once it is served, in order. */
  commitPublished({
    atMicros,
    rowChanges,
    added,
  }: Pick<Commit, 'atMicros' | 'rowChanges' | 'added'>): void {
    const zoneIds = new Set<string>()
    for (const run of added) zoneIds.add(recordsetUnpacker.zoneIdOf(recordsetAt(run, 0)))
    for (const change of rowChanges) {
      if (change.collection === 'zones') zoneIds.add(change.id)
      else if (change.collection === 'recordsets') {
        const zoneId = (change.after ?? change.before)?.zoneId
        if (zoneId !== undefined) zoneIds.add(zoneId)
      }
    }
    if (zoneIds.size === 0) return
    // Commits are stamped after the latest one, even where a clock that was ahead has stamped that.
    const nowMillis = this.#options.clock.nowMillis()
    const commitMillis = Math.min(Math.floor(atMicros / 1000), nowMillis)
    const reachedMillis = this.#advance(commitMillis)
    // After a failover that lost commits they continue at an earlier time, up to which all is booked.
    this.#commitMillis = Math.max(this.#commitMillis, commitMillis)
    const atMillis = this.#options.isBookedByCommit
      ? Math.max(this.#commitMillis, beginOf(this.#timedHour))
      : reachedMillis
    for (const zoneId of zoneIds) this.#settle(zoneId, this.#options.zones.find(zoneId), atMillis)
  }

  /** To be called when no thread counts in a zone number any more, before it is used again. */
  zoneNumberFreed(zoneNumber: number): void {
    this.#readings.release(zoneNumber)
  }

  /** Makes the usage so far durable and hands over finished hours. What fails is tried again with the next flush; nothing is
   *  lost meanwhile. */
  flush(): Promise<void> {
    return this.#flushes.run(() => this.#flush())
  }

  /** Hands over no more hours, not even the one under way: there may be many that have ended, and the next run hands them over.
   *  Usage is metered on. */
  stop(): void {
    this.#isStopped = true
  }

  /** Makes the usage durable a last time; nothing may be metered then. */
  async close(): Promise<void> {
    this.stop()
    try {
      await this.flush()
    } finally {
      await this.#journal.close()
    }
  }

  async #flush(): Promise<void> {
    await this.#keep()
    try {
      while (!this.#isStopped && beginOf(this.#firstHour + 1) <= this.#nowMillis)
        await this.#closeHour()
    } catch (error) {
      // Whatever ended it, the next run hands the hour over again.
      if (!this.#isStopped) throw error
    }
  }

  /** Makes the usage so far durable. */
  async #keep(): Promise<void> {
    const nowMillis = this.#options.clock.nowMillis()
    await this.#lookAtClock(nowMillis)
    await this.#readings.readAll(this.#options.zones.zoneNumberCount)
    this.#advance(nowMillis)
    await this.#write()
    // Answers that are counted while hours are handed over belong to a later hour.
    this.#bookedHour = Math.max(this.#bookedHour, hourOf(this.#nowMillis))
  }

  /** Time as it is metered: the clock's, but never backwards. */
  #advance(millis: number): number {
    this.#leaveOutGap(millis)
    this.#nowMillis = Math.max(this.#nowMillis, millis)
    return this.#nowMillis
  }

  async #lookAtClock(millis: number): Promise<void> {
    const look = this.#clockWatch.look(millis, this.#nowMillis)
    if (look.kind === 'believed') return this.#goBack(hourOf(look.sinceMillis) + 1)
    if (look.kind === 'behind' && look.isNew)
      this.#options.onEvent({ kind: 'clock-behind', millis: look.millis })
  }

  /** Goes back to the begin of an hour. What was handed over for it and later hours is replaced as they end. If the clock is
   *  wrong now, no more is lost than the hours for which it is believed. */
  async #goBack(hour: Hour): Promise<void> {
    const { onTakenBack, onEvent } = this.#options
    await onTakenBack(periodOf(hour).begin)
    const [fromMillis, toMillis] = [this.#nowMillis, beginOf(hour)]
    for (const account of this.#all()) account.goBackTo(hour)
    this.#nowMillis = toMillis
    this.#commitMillis = 0
    this.#firstHour = Math.min(this.#firstHour, hour)
    this.#bookedHour = this.#firstHour
    this.#timedHour = this.#firstHour
    await this.#beginJournal()
    onEvent({ kind: 'clock-believed', fromMillis, toMillis })
  }

  #leaveOutGap(millis: number): void {
    const fromMillis = this.#nowMillis
    const { hours } = this.#options
    if (!isGap({ fromMillis, toMillis: millis }, () => hours.usedUntil)) return
    for (const account of this.#accounts.values()) {
      account.advance(fromMillis)
      account.skipTo(millis)
      this.#dirty.add(account)
    }
    this.#options.onEvent({ kind: 'gap', fromMillis, toMillis: millis })
  }

  async #write(): Promise<void> {
    const { length } = this.#journal
    if (length === undefined || length > maxLogOctets) return this.#beginJournal()
    const dirty = [...this.#dirty]
    this.#dirty = new Set()
    await this.#journal.append(this.#head(), dirty)
  }

  /** Accounts that change while they are written, here or by `#write`, are written again with the next flush. */
  #beginJournal(): Promise<void> {
    this.#dirty = new Set()
    return this.#journal.begin(this.#head(), this.#all())
  }

  #head() {
    return { atMillis: this.#nowMillis, firstHour: this.#firstHour }
  }

  /** Hands over the first hour. A crash in the middle does no harm: the hour is handed over again and replaced. */
  async #closeHour(): Promise<void> {
    const hour = this.#firstHour
    await this.#options.hours.write(hour, this.#tallies(hour), () => this.#requireRunning())
    this.#firstHour = hour + 1
    // Behind a gap, or where there is no zone, there may be many hours of nothing.
    let first = hourOf(this.#nowMillis)
    const slice = new TimeSlice()
    for (const account of this.#all()) {
      account.forget(hour)
      first = account.firstHour(first)
      if (!account.isOpen && account.isEmpty) this.#closed.delete(account)
      if (slice.isSpent) await slice.yield()
    }
    this.#firstHour = Math.max(this.#firstHour, first)
    this.#bookedHour = Math.max(this.#bookedHour, this.#firstHour)
    await this.#beginJournal()
  }

  #requireRunning(): void {
    if (this.#isStopped) throw new Error('the meter is stopped')
  }

  /** Once the first tally is yielded, no more time is booked in the hour. */
  *#tallies(hour: Hour): Generator<ZoneTally> {
    this.#timedHour = Math.max(this.#timedHour, hour + 1)
    for (const account of this.#all()) {
      this.#requireRunning()
      account.advance(beginOf(hour + 1))
      const tally = account.tallyOf(hour)
      if (tally !== undefined) yield { owner: account.owner, tally }
    }
  }

  #all(): readonly Account[] {
    return [...this.#accounts.values(), ...this.#closed]
  }

  /** Brings the account of a zone in step with the zone, as of an instant. */
  #settle(zoneId: string, zone: MeteredZone | undefined, atMillis: number): void {
    const known = this.#accounts.get(zoneId)
    // What was answered until now is the old account's.
    if (known?.zoneNumber !== undefined) this.#readings.read(known.zoneNumber)
    if (zone?.zoneNumber !== undefined && zone.zoneNumber !== known?.zoneNumber)
      this.#readings.read(zone.zoneNumber)
    const isSame = known !== undefined && zone !== undefined && isSameOwner(known.owner, zone.owner)
    if (known !== undefined && !isSame) this.#close(known, atMillis)
    if (zone === undefined) {
      // Counts that are read later are of answers before the deletion, but for an abandoned zone, which is still answered.
      if (known?.zoneNumber !== undefined && this.#options.zones.isAbandoned(zoneId))
        this.#readings.release(known.zoneNumber)
      return
    }
    const account = isSame ? known : this.#open(zone, atMillis)
    if (account.recordsetCount !== zone.recordsetCount) {
      account.setRecordsetCount(zone.recordsetCount, atMillis)
      this.#dirty.add(account)
    }
    if (zone.zoneNumber !== undefined && zone.zoneNumber !== account.zoneNumber) {
      account.zoneNumber = zone.zoneNumber
      this.#readings.assign(zone.zoneNumber, account)
    }
  }

  #open({ owner, recordsetCount }: MeteredZone, atMillis: number): Account {
    const account = Account.open(owner, atMillis, recordsetCount)
    this.#accounts.set(owner.zoneId, account)
    this.#dirty.add(account)
    return account
  }

  #close(account: Account, atMillis: number): void {
    account.close(atMillis)
    this.#accounts.delete(account.owner.zoneId)
    this.#closed.add(account)
    this.#dirty.add(account)
  }

  #recover({ firstHour, accounts }: Recovered): void {
    this.#firstHour = firstHour
    this.#bookedHour = firstHour
    this.#timedHour = firstHour
    for (const account of accounts) {
      if (account.isOpen) this.#accounts.set(account.owner.zoneId, account)
      else if (!account.isEmpty) this.#closed.add(account)
    }
  }

  /** Books what happened after the last flush as the rows say: at the time of their last change, but not in the future. */
  #reconcile(): void {
    const sinceMillis = this.#nowMillis
    const nowMillis = this.#options.clock.nowMillis()
    const gone = new Set(this.#accounts.keys())
    for (const zone of this.#options.zones.all()) {
      const { zoneId } = zone.owner
      gone.delete(zoneId)
      const changedAt = this.#accounts.has(zoneId) ? zone.changedAt : zone.createdAt
      this.#settle(zoneId, zone, Math.max(sinceMillis, Math.min(changedAt, nowMillis)))
      // The texts that the log has are those of the zone's row.
      this.#accounts.get(zoneId)?.shareOwner(zone.owner)
    }
    for (const zoneId of gone) this.#settle(zoneId, undefined, sinceMillis)
  }
}
