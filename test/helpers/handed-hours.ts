import type { HandedHours, NodeHour } from '../../src/rating/metering/handed-hours.ts'
import type { Hour } from '../../src/rating/metering/tally.ts'

/** What nodes hand over, in memory. */
export class HandedInMemory implements HandedHours {
  readonly #entries = new Map<string, { hour: Hour; counted: NodeHour; isMerged: boolean }>()

  async handOver(hour: Hour, counted: NodeHour): Promise<void> {
    const key = `${hour} ${counted.source}`
    if (this.#entries.get(key)?.counted.digest === counted.digest) return
    this.#entries.set(key, { hour, counted, isMerged: false })
  }

  async unmerged(): Promise<readonly Hour[]> {
    const hours = this.#all.filter(({ isMerged }) => !isMerged).map(({ hour }) => hour)
    return [...new Set(hours)].sort((a, b) => a - b)
  }

  async read(hour: Hour): Promise<readonly NodeHour[]> {
    return this.#all.filter(each => each.hour === hour).map(({ counted }) => counted)
  }

  async markMerged(hour: Hour, read: readonly NodeHour[]): Promise<void> {
    for (const { source, digest } of read) {
      const entry = this.#entries.get(`${hour} ${source}`)
      if (entry?.counted.digest === digest) entry.isMerged = true
    }
  }

  async dropBefore(hour: Hour): Promise<void> {
    for (const [key, entry] of this.#entries) if (entry.hour < hour) this.#entries.delete(key)
  }

  get #all() {
    return [...this.#entries.values()]
  }
}
