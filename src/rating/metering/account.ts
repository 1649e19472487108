import {
  addTo,
  beginOf,
  countedLength,
  type Hour,
  hourOf,
  newTally,
  recordsetMillisAt,
  type Tally,
  zoneMillisAt,
} from './tally.ts'

/** What a zone's usage is booked under. When one of these changes, another account is opened. */
export type Owner = {
  readonly zoneId: string
  readonly zoneName: string
  readonly zoneType: string
  readonly poolId: string
  readonly projectId: string
  /** Whether it is answered with signatures that are made here. */
  readonly isSigned: boolean
}

export function isSameOwner(a: Owner, b: Owner): boolean {
  return (
    a.zoneId === b.zoneId &&
    a.zoneName === b.zoneName &&
    a.zoneType === b.zoneType &&
    a.poolId === b.poolId &&
    a.projectId === b.projectId &&
    a.isSigned === b.isSigned
  )
}

export type HourTally = { readonly hour: Hour; readonly tally: Tally }

/** An account as it is written down. */
export type AccountState = {
  readonly isOpen: boolean
  /** Up to when the time that passes is in the tallies, in milliseconds. */
  readonly accountedTo: number
  readonly recordsetCount: number
  /** Of few hours, mostly one or none. A Map in each account would take most of the memory of many accounts. */
  readonly tallies: readonly HourTally[]
}

/** The usage of one owner's zone in the hours that are not closed. Time is added to the tallies only when the zone changes
 *  or an hour ends, so an idle zone costs nothing in between. */
export class Account {
  #owner: Owner
  /** Its number in the current segment of the log; only that segment's `AccountNumbers` use it. */
  number = 0
  numberedBy: object | undefined
  /** Where the zone's queries are counted; undefined while it is not served. */
  zoneNumber: number | undefined
  #isOpen: boolean
  #accountedTo: number
  #recordsetCount: number
  #tallies: readonly HourTally[]

  constructor(owner: Owner, state: AccountState) {
    this.#owner = owner
    this.#isOpen = state.isOpen
    this.#accountedTo = state.accountedTo
    this.#recordsetCount = state.recordsetCount
    this.#tallies = state.tallies
  }

  /** Opens an account, which has used nothing yet. */
  static open(owner: Owner, atMillis: number, recordsetCount: number): Account {
    const state = { isOpen: true, accountedTo: atMillis, recordsetCount, tallies: none }
    return new Account(owner, state)
  }

  get owner(): Owner {
    return this.#owner
  }

  /** Replaces the owner by an equal object that is in memory anyway. */
  shareOwner(owner: Owner): void {
    if (isSameOwner(owner, this.#owner)) this.#owner = owner
  }

  get state(): AccountState {
    return {
      isOpen: this.#isOpen,
      accountedTo: this.#accountedTo,
      recordsetCount: this.#recordsetCount,
      tallies: this.#tallies,
    }
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  get recordsetCount(): number {
    return this.#recordsetCount
  }

  /** Adds the time up to an instant, if that is later than the time added so far. */
  advance(toMillis: number): void {
    if (!this.#isOpen) return
    while (this.#accountedTo < toMillis) {
      const hour = hourOf(this.#accountedTo)
      const end = Math.min(toMillis, beginOf(hour + 1))
      const millis = end - this.#accountedTo
      const tally = this.#tallyOf(hour)
      addTo(tally, zoneMillisAt, millis)
      addTo(tally, recordsetMillisAt, millis * this.#recordsetCount)
      this.#accountedTo = end
    }
  }

  /** The tallies as `advance` would leave them, which changes nothing: what happened before the instant may be learned later. */
  talliesUntil(toMillis: number): readonly HourTally[] {
    const tallies = this.#tallies.map(({ hour, tally }) => ({ hour, tally: [...tally] }))
    const copy = new Account(this.#owner, { ...this.state, tallies })
    copy.advance(toMillis)
    return copy.#tallies
  }

  /** Continues at an instant without adding the time up to it. */
  skipTo(millis: number): void {
    this.#accountedTo = Math.max(this.#accountedTo, millis)
  }

  /** Drops the time from an hour on, because the clock has gone back to that hour. Counts from then on are kept in it. */
  goBackTo(hour: Hour): void {
    const counted = newTally()
    for (const { hour: each, tally } of this.#tallies) {
      if (each < hour) continue
      for (let at = 0; at < countedLength; at += 1) addTo(counted, at, tally[at] ?? 0)
    }
    this.#tallies = this.#tallies.filter(({ hour: each }) => each < hour)
    if (counted.some(amount => amount > 0)) this.#add(hour, counted)
    this.#accountedTo = Math.min(this.#accountedTo, beginOf(hour))
  }

  setRecordsetCount(count: number, atMillis: number): void {
    this.advance(atMillis)
    this.#recordsetCount = count
  }

  /** Ends the time of the account; queries that were answered before may still be added. */
  close(atMillis: number): void {
    this.advance(atMillis)
    this.#isOpen = false
  }

  /** Adds counts to the account's current hour, or to `firstHour` if that is later. */
  count(at: number, amount: number, firstHour: Hour): void {
    addTo(this.#tallyOf(Math.max(hourOf(this.#accountedTo), firstHour)), at, amount)
  }

  /** The tally of an hour; undefined without usage. */
  tallyOf(hour: Hour): Tally | undefined {
    for (const each of this.#tallies) if (each.hour === hour) return each.tally
    return undefined
  }

  forget(hour: Hour): void {
    if (this.tallyOf(hour) === undefined) return
    const rest = this.#tallies.filter(each => each.hour !== hour)
    this.#tallies = rest.length === 0 ? none : rest
  }

  /** The first hour that is not complete or has usage; `after` if that comes first. */
  firstHour(after: Hour): Hour {
    let first = this.#isOpen ? Math.min(after, hourOf(this.#accountedTo)) : after
    for (const { hour } of this.#tallies) first = Math.min(first, hour)
    return first
  }

  get isEmpty(): boolean {
    return this.#tallies.length === 0
  }

  #tallyOf(hour: Hour): Tally {
    return this.tallyOf(hour) ?? this.#add(hour, newTally())
  }

  #add(hour: Hour, tally: Tally): Tally {
    this.#tallies = this.#tallies.concat({ hour, tally })
    return tally
  }
}

const none: readonly HourTally[] = []
