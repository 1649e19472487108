import { setTimeout as pause } from 'node:timers/promises'
import { TimeSlice } from '../time-slice.ts'
import type { ZoneTable } from '../zone/table/zone-table.ts'

/** Names processed between two checks of the clock. */
const namesAtOnce = 64
/** A batch of answers takes far less time. */
const readerPauseMs = 10

/** Frees the remains of withdrawn zones in the background. */
export class TableReclaim {
  readonly #table: ZoneTable
  #isRunning = false

  constructor(table: ZoneTable) {
    this.#table = table
  }

  /** Begins, unless it is already running, and ends when done. */
  begin(): void {
    if (!this.#isRunning) void this.#run()
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    const slice = new TimeSlice()
    // Lets the caller, which has withdrawn a zone, continue first.
    await slice.yield()
    for (;;) {
      const remaining = this.#table.reclaim(namesAtOnce)
      if (remaining === 'nothing') break
      if (remaining === 'readers') await pause(readerPauseMs, undefined, { ref: false })
      else if (slice.isSpent) await slice.yield()
    }
    this.#isRunning = false
  }
}
