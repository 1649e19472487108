import { TimeSlice } from '../../time-slice.ts'
import type { Account } from './account.ts'
import { countedLength } from './tally.ts'

/** Zone numbers between two looks at the clock. */
const zonesAtOnce = 256

type ZoneReadingsOptions = {
  /** What all threads together have counted in a zone number so far, in the order of a tally. */
  readonly count: (zoneNumber: number, at: number) => number
  /** The owner of a zone number that was never assigned: a zone may be served again without a change of its row. */
  readonly find: (zoneNumber: number) => Account | undefined
  readonly book: (account: Account, at: number, amount: number) => void
}

/** Reads the counters of the answering threads, which only ever grow, and books what was added since the last reading. A
 *  zone number belongs to one account until it is assigned to another or no thread can count in it any more. */
export class ZoneReadings {
  readonly #options: ZoneReadingsOptions
  /** The counts of the last reading, by zone number. */
  readonly #read: number[] = []
  readonly #accounts: (Account | undefined)[] = []

  constructor(options: ZoneReadingsOptions) {
    this.#options = options
  }

  /** Books for an account what is counted in a zone number from its last reading on. */
  assign(zoneNumber: number, account: Account): void {
    this.#makeRoom(zoneNumber)
    this.#accounts[zoneNumber] = account
  }

  /** Reads a zone number for the last time, after which another zone may have it. Counts that belong to no account are dropped. */
  release(zoneNumber: number): void {
    this.read(zoneNumber)
    for (let at = 0; at < countedLength; at += 1)
      this.#read[zoneNumber * countedLength + at] = this.#options.count(zoneNumber, at)
    this.#accounts[zoneNumber] = undefined
  }

  /** Books what was counted in a zone number since its last reading; counts without an account wait for one. */
  read(zoneNumber: number): void {
    this.#makeRoom(zoneNumber)
    const { count, book } = this.#options
    const first = zoneNumber * countedLength
    for (let at = 0; at < countedLength; at += 1) {
      const counted = count(zoneNumber, at)
      const more = counted - (this.#read[first + at] as number)
      if (more === 0) continue
      const account = this.#accountOf(zoneNumber)
      if (account === undefined) return
      this.#read[first + at] = counted
      book(account, at, more)
    }
  }

  /** Reads all zone numbers below a number, in small steps. */
  async readAll(zoneNumberCount: number): Promise<void> {
    const slice = new TimeSlice()
    for (let zoneNumber = 0; zoneNumber < zoneNumberCount; zoneNumber += 1) {
      this.read(zoneNumber)
      if (zoneNumber % zonesAtOnce === 0 && slice.isSpent) await slice.yield()
    }
  }

  #accountOf(zoneNumber: number): Account | undefined {
    this.#accounts[zoneNumber] ??= this.#options.find(zoneNumber)
    return this.#accounts[zoneNumber]
  }

  #makeRoom(zoneNumber: number): void {
    while (this.#accounts.length <= zoneNumber) {
      this.#accounts.push(undefined)
      for (let at = 0; at < countedLength; at += 1) this.#read.push(0)
    }
  }
}
