import type { Test } from 'tap'
import { ratingMounts } from '../../src/api/rating/mounts.ts'
import type { RatingServices } from '../../src/api/rating/services.ts'
import { Scopes } from '../../src/rating/scopes/scopes.ts'
import { PointStore } from '../../src/rating/segments/point-store.ts'
import { openMemoryStore } from '../../src/store/memory-store.ts'
import { startApi, type TestApi } from './api.ts'
import { fakeClock } from './clock.ts'
import { MemoryDisk } from './memory-disk.ts'

/** Serves the rating group over HTTP, on a store of points in memory. */
export async function startRatingApi(
  t: Test,
  { disk = new MemoryDisk() }: { readonly disk?: MemoryDisk } = {},
): Promise<{ readonly api: TestApi; readonly services: RatingServices }> {
  const clock = fakeClock()
  const store = openMemoryStore({ clock })
  const points = await PointStore.open('/rating', { disk })
  const onRemovalFailed = (error: unknown) => t.fail('a removal failed', { error })
  const periodSeconds = 3600
  const services = {
    points,
    clock,
    periodSeconds,
    scopes: new Scopes({ store, points, periodSeconds, onRemovalFailed }),
  }
  const api = await startApi(t, { store, clock, mounts: () => ratingMounts(services) })
  return { api, services }
}
