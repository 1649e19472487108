import { setTimeout as pause } from 'node:timers/promises'
import { TimeSlice } from '../time-slice.ts'
import type { ZoneTable } from '../zone/table/zone-table.ts'

/** Names between two looks at the clock. */
const namesAtOnce = 64
/** A batch of answers takes far less. */
const readerPauseMs = 10

/** Takes apart what is left of withdrawn zones, beside everything else that goes on. */
export class TableReclaim {
  readonly #table: ZoneTable
  #isRunning = false

  constructor(table: ZoneTable) {
    this.#table = table
  }

  /** Begins, unless it is under way, and ends by itself. */
  begin(): void {
    if (!this.#isRunning) void this.#run()
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    const slice = new TimeSlice()
    // The caller, who has withdrawn a zone, goes on first.
    await slice.rest()
    for (;;) {
      const remaining = this.#table.reclaim(namesAtOnce)
      if (remaining === 'nothing') break
      if (remaining === 'readers') await pause(readerPauseMs, undefined, { ref: false })
      else if (slice.isSpent) await slice.rest()
    }
    this.#isRunning = false
  }
}
