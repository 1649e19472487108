import { join } from 'node:path'
import type { Logger } from '../log.ts'
import type { Instant, ScopeState } from '../model/rating.ts'
import { Rater } from '../rating/collector/rater.ts'
import { HourlyUsage, type UsageCount } from '../rating/metering/hourly-usage.ts'
import type { Meter, MeterOptions } from '../rating/metering/meter.ts'
import { contains, type Period } from '../rating/period.ts'
import type { RatingTerm } from '../rating/rating-term.ts'
import { PointStore, type Points } from '../rating/segments/point-store.ts'
import { formatTimestamp } from '../rating/timestamp.ts'
import { usageFolders } from '../rating/usage-repair.ts'
import type { CommonParts } from './options.ts'
import { loggedPointEvents, type Rating } from './rating.ts'

// The composition root's part for usage that one server meters and rates alone.

export type UsageOptions = Pick<CommonParts, 'config' | 'store' | 'clock' | 'logger'> & {
  readonly rating: Rating
}

/** Where completed hours go, and how they are rated. */
export type MeteredUsage = {
  readonly hourly: Points
  /** The options that the meter is opened with. */
  readonly meterOptions: Pick<MeterOptions, 'hours' | 'onTakenBack' | 'isBookedByCommit'>
  /** To be called once, when the meter is open. */
  begin(meter: Meter): RatedUsage
}

export type RatedUsage = {
  /** Ensures that points can be read and written, where this server rates. */
  takeUp(): Promise<void>
  rate(): Promise<void>
  /** To be called when the meter has made its usage durable. */
  flushed(): Promise<void>
  /** The usage of a project in a period, including hours that are not over. */
  usageIn(projectId: string, period: Period): AsyncGenerator<UsageCount>
  /** Ends rating, which the next run continues. */
  stop(): Promise<void>
  /** To be called after `stop`. */
  close(): Promise<void>
}

/** @throws DamageError the files of hours are not as they were written */
export async function openOwnUsage(options: UsageOptions): Promise<MeteredUsage> {
  const { config, rating, logger } = options
  const hourly = await PointStore.open(
    join(config.dataDir, usageFolders.hours),
    loggedPointEvents(logger),
  )
  const hours = new HourlyUsage(hourly, (ids, period) => rating.scopes.open(ids, period))
  return {
    hourly,
    meterOptions: { hours, onTakenBack: from => rating.scopes.takeBack(from) },
    begin: meter => {
      const rater = makeRater(options, hours, () => meter.closedUntil)
      return {
        takeUp: async () => undefined,
        rate: () => rater.run(),
        flushed: async () => undefined,
        usageIn: (projectId, period) => usageIn({ hours, meter }, projectId, period),
        stop: () => rater.stop(),
        close: async () => undefined,
      }
    },
  }
}

/** @param meteredUntil usage that began before is final */
export function makeRater(
  { rating, store, clock, logger }: UsageOptions,
  hours: HourlyUsage,
  meteredUntil: () => Instant,
  term?: RatingTerm,
): Rater {
  const onAhead = (state: ScopeState) => logAhead(logger, state)
  return new Rater({ ...rating, store, clock, hours, meteredUntil, onAhead, term })
}

async function* usageIn(
  { hours, meter }: { readonly hours: HourlyUsage; readonly meter: Meter },
  projectId: string,
  period: Period,
): AsyncGenerator<UsageCount> {
  const { closedUntil, counts } = await meter.openUsage(projectId)
  const end = Math.min(period.end, closedUntil)
  if (period.begin < end) yield* hours.read({ begin: period.begin, end }, projectId)
  for (const count of counts) if (contains(period, count.begin)) yield count
}

function logAhead(logger: Logger, { scopeId, lastProcessed }: ScopeState): void {
  const ratedUntil = lastProcessed === null ? undefined : formatTimestamp(lastProcessed)
  const text =
    'a scope is set to a time to come and is not rated before: PUT /v2/scope sets it back'
  logger.warn({ scopeId, ratedUntil }, text)
}
