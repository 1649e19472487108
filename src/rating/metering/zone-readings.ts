import type { Account } from './account.ts'
import { countedLength } from './tally.ts'

/** Zone numbers between two looks at the clock. */
const zonesAtOnce = 256

export type ZoneReadingsOptions = {
  /** What all threads together have counted in a zone number so far, in the order of a tally. */
  readonly count: (zoneNumber: number, at: number) => number
  /** Whose a zone number is that was never assigned: a zone may be served anew without having changed. */
  readonly find: (zoneNumber: number) => Account | undefined
  readonly book: (account: Account, at: number, amount: number) => void
}

/** Reads the counters of the answering threads, which only ever grow, and books what came on since. A zone number is
 *  one account's until another is assigned or nobody can count in it any more. */
export class ZoneReadings {
  readonly #options: ZoneReadingsOptions
  /** By zone number: what had been counted when it was read last. */
  readonly #read: number[] = []
  readonly #accounts: (Account | undefined)[] = []

  constructor(options: ZoneReadingsOptions) {
    this.#options = options
  }

  /** Books what is counted in a zone number from now on for an account, also what came since the zone number was read last. */
  assign(zoneNumber: number, account: Account): void {
    this.#makeRoom(zoneNumber)
    this.#accounts[zoneNumber] = account
  }

  /** Reads a zone number a last time; what nobody has claimed by then is nobody's. Another zone may have it then. */
  release(zoneNumber: number): void {
    this.read(zoneNumber)
    for (let at = 0; at < countedLength; at += 1)
      this.#read[zoneNumber * countedLength + at] = this.#options.count(zoneNumber, at)
    this.#accounts[zoneNumber] = undefined
  }

  /** Books what was counted in a zone number since it was read last. What has no account yet waits for one. */
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

  /** Reads all zone numbers below a number.
   *  @param rest waits between two parts, so that others have their turn */
  async readAll(zoneNumberCount: number, rest: () => Promise<void>): Promise<void> {
    for (let zoneNumber = 0; zoneNumber < zoneNumberCount; zoneNumber += 1) {
      this.read(zoneNumber)
      if (zoneNumber % zonesAtOnce === 0) await rest()
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
