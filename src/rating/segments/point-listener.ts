import type { Month } from '../period.ts'
import type { PreparedBatch } from './batch.ts'
import type { Chunk } from './chunk.ts'
import type { Removal } from './removals.ts'

/** Learns of all points, in order. It must not throw. */
export type PointListener = {
  /** Called with each batch in the step in which readers get to see it. */
  batchStored(batch: PreparedBatch): void
  /** Called when a segment begins to be staged. */
  stageBegun(month: Month): StageListener
}

/** Learns of the points of a staged segment, which may never be stored. */
export type StageListener = {
  /** Called with each chunk when it is written. */
  add(chunk: Chunk): void
  /** Called with what is removed before them in the step in which readers get to see them. */
  stored(removals: readonly Removal[]): void
}

export const nobody: PointListener = {
  batchStored: () => undefined,
  stageBegun: () => ({ add: () => undefined, stored: () => undefined }),
}
