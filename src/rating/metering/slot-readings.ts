import type { Account } from './account.ts'
import { countedLength } from './tally.ts'

/** Slots between two looks at the clock. */
const slotsAtOnce = 256

export type SlotReadingsOptions = {
  /** What all threads together have counted in a slot so far, in the order of a tally. */
  readonly count: (slot: number, at: number) => number
  /** Whose a slot is that nobody was told of: a zone may be served anew without having changed. */
  readonly find: (slot: number) => Account | undefined
  readonly book: (account: Account, at: number, amount: number) => void
}

/** Reads the counters of the answering threads, which only ever grow, and books what came on since. A slot is
 *  one account's until another is assigned or nobody can count in it any more. */
export class SlotReadings {
  readonly #options: SlotReadingsOptions
  /** By slot: what had been counted when it was read last. */
  readonly #read: number[] = []
  readonly #accounts: (Account | undefined)[] = []

  constructor(options: SlotReadingsOptions) {
    this.#options = options
  }

  /** Books what is counted in a slot from now on for an account, also what came since the slot was read last. */
  assign(slot: number, account: Account): void {
    this.#makeRoom(slot)
    this.#accounts[slot] = account
  }

  /** Reads a slot a last time; what nobody has claimed by then is nobody's. Another zone may have it then. */
  release(slot: number): void {
    this.read(slot)
    for (let at = 0; at < countedLength; at += 1)
      this.#read[slot * countedLength + at] = this.#options.count(slot, at)
    this.#accounts[slot] = undefined
  }

  /** Books what was counted in a slot since it was read last. What has no account yet waits for one. */
  read(slot: number): void {
    this.#makeRoom(slot)
    const { count, book } = this.#options
    const first = slot * countedLength
    for (let at = 0; at < countedLength; at += 1) {
      const counted = count(slot, at)
      const more = counted - (this.#read[first + at] as number)
      if (more === 0) continue
      const account = this.#accountOf(slot)
      if (account === undefined) return
      this.#read[first + at] = counted
      book(account, at, more)
    }
  }

  /** Reads all slots below a number.
   *  @param rest waits between two parts, so that others have their turn */
  async readAll(slotCount: number, rest: () => Promise<void>): Promise<void> {
    for (let slot = 0; slot < slotCount; slot += 1) {
      this.read(slot)
      if (slot % slotsAtOnce === 0) await rest()
    }
  }

  #accountOf(slot: number): Account | undefined {
    this.#accounts[slot] ??= this.#options.find(slot)
    return this.#accounts[slot]
  }

  #makeRoom(slot: number): void {
    while (this.#accounts.length <= slot) {
      this.#accounts.push(undefined)
      for (let at = 0; at < countedLength; at += 1) this.#read.push(0)
    }
  }
}
