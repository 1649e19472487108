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

/** An account as it is written down. */
export type AccountState = {
  readonly isOpen: boolean
  /** Up to when the time that passes is in the tallies, in milliseconds. */
  readonly accountedTo: number
  readonly recordsetCount: number
  readonly tallies: ReadonlyMap<Hour, Tally>
}

/** What one owner's zone has used in the hours that are not closed yet. Time is added to the tallies only when
 *  something changes or an hour ends, so a zone nobody asks about costs nothing in between. */
export class Account {
  #owner: Owner
  /** By which it is known in a segment of the log, and to that one's `AccountNumbers` alone. */
  number = 0
  numberedBy: object | undefined
  /** Where the zone's queries are counted; undefined while it is not served. */
  zoneNumber: number | undefined
  #isOpen: boolean
  #accountedTo: number
  #recordsetCount: number
  /** Of few hours, mostly of one or none: with many accounts a Map for each would be most of what they weigh. */
  #tallies: readonly HourTally[]

  constructor(owner: Owner, state: AccountState) {
    this.#owner = owner
    this.#isOpen = state.isOpen
    this.#accountedTo = state.accountedTo
    this.#recordsetCount = state.recordsetCount
    this.#tallies =
      state.tallies.size === 0
        ? none
        : Array.from(state.tallies, ([hour, tally]) => ({ hour, tally }))
  }

  /** Opens an account, which has used nothing yet. */
  static open(owner: Owner, atMillis: number, recordsetCount: number): Account {
    const state = { isOpen: true, accountedTo: atMillis, recordsetCount, tallies: new Map() }
    return new Account(owner, state)
  }

  get owner(): Owner {
    return this.#owner
  }

  /** Takes an owner that is the same, and is kept elsewhere as well. */
  shareOwner(owner: Owner): void {
    if (isSameOwner(owner, this.#owner)) this.#owner = owner
  }

  get state(): AccountState {
    return {
      isOpen: this.#isOpen,
      accountedTo: this.#accountedTo,
      recordsetCount: this.#recordsetCount,
      tallies: new Map(this.#tallies.map(({ hour, tally }) => [hour, tally])),
    }
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  get recordsetCount(): number {
    return this.#recordsetCount
  }

  /** Adds the time up to an instant; nothing where that is over already. */
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

  /** Goes on at an instant without adding the time up to it. */
  skipTo(millis: number): void {
    this.#accountedTo = Math.max(this.#accountedTo, millis)
  }

  /** Forgets the time from an hour on, which is still to come after all. What was counted then is counted in that
   *  hour. */
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

  /** Adds to what is counted in the hour that the account has got to, or in `firstHour` if that is later. */
  count(at: number, amount: number, firstHour: Hour): void {
    addTo(this.#tallyOf(Math.max(hourOf(this.#accountedTo), firstHour)), at, amount)
  }

  /** What was used in an hour; undefined for nothing. */
  tallyOf(hour: Hour): Tally | undefined {
    for (const each of this.#tallies) if (each.hour === hour) return each.tally
    return undefined
  }

  forget(hour: Hour): void {
    if (this.tallyOf(hour) === undefined) return
    const rest = this.#tallies.filter(each => each.hour !== hour)
    this.#tallies = rest.length === 0 ? none : rest
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

type HourTally = { readonly hour: Hour; readonly tally: Tally }

const none: readonly HourTally[] = []
