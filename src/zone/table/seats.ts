import { Counters, reserveCounters } from './counters.ts'
import { seatWord } from './epochs.ts'
import type { ZoneTableHandle } from './handle.ts'
import { maxSeats } from './layout.ts'
import type { TableMemory } from './memory.ts'

/** A target (`TargetZones`), as far as a reader has to know it. */
export type Target = { readonly ref: number }

/** A place for one reading thread. */
export type Seat = {
  readonly handle: ZoneTableHandle
  /** To be called when the thread has ended, however it ended: what it held back is let go. Idempotent. */
  close(): void
}

/** The seats of a table, as its writer sees them. */
export class Seats {
  readonly #memory: TableMemory
  readonly #free: number[] = []
  /** By seat, of all that were ever taken. */
  readonly #counters: SharedArrayBuffer[] = []
  readonly #readings: Counters[] = []

  constructor(memory: TableMemory) {
    this.#memory = memory
  }

  /** What each seat has counted (`Counters`), also of threads that have ended. */
  get counters(): readonly SharedArrayBuffer[] {
    return this.#counters
  }

  /** One of `zoneCounts`, added up over all seats. O(seats). */
  countOfZone(slot: number, index: number): number {
    let sum = 0
    for (const reading of this.#readings) sum += reading.getOfZone(slot, index)
    return sum
  }

  /** One of `seatCounts`, added up over all seats. O(seats). */
  countOfSeats(index: number): number {
    let sum = 0
    for (const reading of this.#readings) sum += reading.get(index)
    return sum
  }

  /** Counts here what was counted in the seats of another table; `slots` says which zones of it are which here.
   *  @throws RangeError all seats are taken. */
  addCounts(other: Seats, slots: Iterable<{ readonly from: number; readonly to: number }>): void {
    const seat = this.#takeNumber()
    const counters = this.#readings[seat] as Counters
    for (const reading of other.#readings) counters.addSeat(reading)
    for (const { from, to } of slots)
      for (const reading of other.#readings) counters.addZone(to, reading, from)
    this.#free.push(seat)
  }

  /** @throws RangeError all seats are taken. */
  open({ ref: target }: Target): Seat {
    const seat = this.#takeNumber()
    const counters = this.#counters[seat] as SharedArrayBuffer
    let isOpen = true
    return {
      handle: { memory: this.#memory.buffer, counters, seat, target },
      close: () => {
        if (!isOpen) return
        isOpen = false
        Atomics.store(this.#memory.words, seatWord(seat), 0)
        this.#free.push(seat)
      },
    }
  }

  #takeNumber(): number {
    return this.#free.pop() ?? this.#addSeat()
  }

  #addSeat(): number {
    const seat = this.#counters.length
    if (seat === maxSeats) throw new RangeError(`a table has at most ${maxSeats} readers`)
    const counters = reserveCounters()
    this.#counters.push(counters)
    this.#readings.push(new Counters(counters))
    return seat
  }
}
