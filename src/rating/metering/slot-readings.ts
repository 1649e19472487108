import type { Account } from './account.ts'
import { countedLength } from './tally.ts'

/** Slots between two looks at the clock. */
const slotsAtOnce = 256

/** Reads the counters of the answering threads, which only ever grow, and books what came on since. A slot is
 *  one zone's as long as anybody may count in it for that zone. */
export class SlotReadings {
  readonly #count: (slot: number, at: number) => number
  readonly #book: (account: Account, at: number, amount: number) => void
  /** By slot: what had been counted when it was read last. */
  readonly #read: number[] = []
  readonly #accounts: (Account | undefined)[] = []

  constructor(
    count: (slot: number, at: number) => number,
    book: (account: Account, at: number, amount: number) => void,
  ) {
    this.#count = count
    this.#book = book
  }

  /** Books what is counted in a slot from now on for an account, also what came since the slot was read last. */
  assign(slot: number, account: Account): void {
    while (this.#accounts.length <= slot) {
      this.#accounts.push(undefined)
      for (let at = 0; at < countedLength; at += 1) this.#read.push(0)
    }
    this.#accounts[slot] = account
  }

  /** Reads a slot a last time. Another zone may have it then. */
  release(slot: number): void {
    if (slot >= this.#accounts.length) return
    this.read(slot)
    this.#accounts[slot] = undefined
  }

  /** Books what was counted in a slot since it was read last; what nobody's is, is nobody's. */
  read(slot: number): void {
    const account = this.#accounts[slot]
    const first = slot * countedLength
    for (let at = 0; at < countedLength; at += 1) {
      const count = this.#count(slot, at)
      const more = count - (this.#read[first + at] as number)
      if (more === 0) continue
      this.#read[first + at] = count
      if (account !== undefined) this.#book(account, at, more)
    }
  }

  /** Reads all slots that belong to an account.
   *  @param rest waits between two parts, so that others have their turn */
  async readAll(rest: () => Promise<void>): Promise<void> {
    for (let slot = 0; slot < this.#accounts.length; slot += 1) {
      if (this.#accounts[slot] !== undefined) this.read(slot)
      if (slot % slotsAtOnce === 0) await rest()
    }
  }
}
