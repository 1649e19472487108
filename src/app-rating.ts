import { join } from 'node:path'
import type { RatingServices } from './api/rating/services.ts'
import type { Clock } from './clock.ts'
import type { Config } from './config/config.ts'
import type { Logger } from './log.ts'
import { defaultSchedule } from './rating/scopes/catch-up.ts'
import { Scopes } from './rating/scopes/scopes.ts'
import { DamagedFileError } from './rating/segments/frame.ts'
import { PointStore } from './rating/segments/point-store.ts'
import { StoreDamageError } from './store/damage.ts'
import type { Store } from './store/store.ts'

// The composition root's part about usage rating.

/** Opens what usage rating works on, and finishes what a crash cut off.
 *  @throws StoreDamageError the points' files are not as they were written */
export async function openRating(parts: {
  readonly config: Pick<Config, 'dataDir'>
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
}): Promise<RatingServices & { close(): Promise<void> }> {
  const { store, clock, logger } = parts
  const points = await openPoints(join(parts.config.dataDir, 'rating'))
  const { periodSeconds } = defaultSchedule
  const scopes = new Scopes({
    store,
    points,
    periodSeconds,
    onRemovalFailed: error =>
      logger.error({ err: error }, 'points of a scope that was reset could not be removed yet'),
  })
  await scopes.finishResets()
  return { points, scopes, clock, periodSeconds, close: () => points.close() }
}

async function openPoints(folder: string): Promise<PointStore> {
  try {
    return await PointStore.open(folder)
  } catch (error) {
    if (!(error instanceof DamagedFileError)) throw error
    const remedy = 'Restore the data directory from a backup'
    throw new StoreDamageError(folder, { problem: error.message, remedy })
  }
}
