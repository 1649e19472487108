import type { PreparedBatch } from './batch.ts'
import type { Memtable } from './memtable.ts'
import type { RecentKeys } from './recent-keys.ts'
import type { Removals } from './removals.ts'

/** The part of the store that batches change. */
export type Live = {
  /** The points of the latest generation. */
  active: Memtable
  readonly removals: Removals
  readonly keys: RecentKeys
}

/** Applies a durable batch: removals to what was there before, then its points. */
export function applyBatch(live: Live, { key, removals, series }: PreparedBatch): void {
  for (const removal of removals) {
    live.active.remove(removal)
    live.removals.add(live.active.generation, removal)
  }
  for (const points of series) live.active.add(points)
  if (key !== undefined) live.keys.add(key)
}
