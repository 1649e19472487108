import type { Clock } from '../../clock.ts'
import type { Instant } from '../../model/rating.ts'
import { hourSeconds } from '../period.ts'
import { type HandedHours, HandOverError, type NodeHour, packHour } from './handed-hours.ts'
import type { HourlyUsage, ZoneTally } from './hourly-usage.ts'
import { beginOf, type Hour } from './tally.ts'

type NodeHoursOptions = {
  /** Under which name an hour is handed over. */
  readonly sourceOf: (hour: Hour) => string
  readonly handed: Pick<HandedHours, 'handOver'>
  /** Resolves when this node has seen all that was changed anywhere so far; rejects where that cannot be known. */
  readonly caughtUp: () => Promise<void>
  readonly clock: Clock
}

/** How many hours are kept that were handed over, in case they are lost. */
const keptHours = 2

/** The hours of one node among several: its meter hands them over, and the node with the duty merges them. */
export class NodeHours implements Pick<HourlyUsage, 'write' | 'usedUntil'> {
  readonly #options: NodeHoursOptions
  readonly #startMillis: number
  /** Those handed over last, oldest first. */
  readonly #kept = new Map<Hour, NodeHour>()
  #usedUntil: Instant | undefined

  /** To be made before the meter is opened. */
  constructor(options: NodeHoursOptions) {
    this.#options = options
    this.#startMillis = options.clock.nowMillis()
  }

  /** The end of the last hour that was handed over since the start. */
  get usedUntil(): Instant | undefined {
    return this.#usedUntil
  }

  /** Hands an hour over in place of what was handed over of it. @throws HandOverError */
  async write(hour: Hour, tallies: Iterable<ZoneTally>): Promise<void> {
    await this.#handOver(hour, tallies).catch(error => {
      throw new HandOverError(error)
    })
    this.#usedUntil = (hour + 1) * hourSeconds
  }

  /** Hands the last hours over again, in case a failover has lost them since. */
  async handOverAgain(): Promise<void> {
    for (const [hour, counted] of this.#kept) await this.#options.handed.handOver(hour, counted)
  }

  async #handOver(hour: Hour, tallies: Iterable<ZoneTally>): Promise<void> {
    const { sourceOf, handed, caughtUp } = this.#options
    // A zone may have changed hands in this hour at another node.
    await caughtUp()
    // While PostgreSQL was away, more hours may have ended than are kept.
    await this.handOverAgain()
    const isWhole = beginOf(hour) >= this.#startMillis
    const counted = { source: sourceOf(hour), isWhole, ...(await packHour(tallies)) }
    await handed.handOver(hour, counted)
    this.#kept.set(hour, counted)
    const [oldest = hour] = this.#kept.keys()
    if (this.#kept.size > keptHours) this.#kept.delete(oldest)
  }
}
