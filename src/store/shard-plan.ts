import type { TimeSlice } from '../time-slice.ts'
import { comparePlaces, type Place } from './ordered-rows.ts'
import type { Tables } from './tables.ts'
import { type Shard, ZoneShards } from './zone-shards.ts'

/** Record sets of a new shard. A document may grow to twice as many before it is split, which take about 5 ms
 *  to write. */
export const defaultRowsPerShard = 1000

/** Hands out numbers for shards, each once. */
export class ShardNumbers {
  #last = 0

  /** Leaves out a number that is in use already. */
  note(number: number): void {
    this.#last = Math.max(this.#last, number)
  }

  take(): number {
    this.#last += 1
    return this.#last
  }
}

export type ShardPlanOptions = {
  readonly tables: Tables
  readonly zoneId: string
  /** The shards as they are; undefined where the zone is one document. */
  readonly current: ZoneShards | undefined
  readonly rowsPerShard: number
  readonly numbers: ShardNumbers
  readonly slice: TimeSlice
}

/** Decides how a zone's record sets are to be spread from now on: `current` itself where nothing has to change,
 *  undefined for a single document. Growing is due at once; shrinking only far below, so that a zone at the
 *  edge does not go back and forth. */
export async function planShards(options: ShardPlanOptions): Promise<ZoneShards | undefined> {
  const { tables, zoneId, current, rowsPerShard } = options
  const count = tables.count('recordsets', 'byZone', zoneId)
  if (current === undefined) return count <= 2 * rowsPerShard ? undefined : planAnew(options)
  if (count < rowsPerShard / 2) return undefined
  if (count < (current.shards.length * rowsPerShard) / 4) return planAnew(options)
  return planSplits(current, options)
}

async function planAnew(options: ShardPlanOptions): Promise<ZoneShards> {
  const stretch = await measure({ after: null, end: undefined }, options)
  return new ZoneShards(newShards(stretch, options.numbers))
}

async function planSplits(current: ZoneShards, options: ShardPlanOptions): Promise<ZoneShards> {
  const planned: Shard[] = []
  for (const shard of current.shards) {
    // What has not changed has not grown.
    const stretch = shard.isDirty
      ? await measure({ after: shard.after, end: current.endOf(shard) }, options)
      : undefined
    if (stretch === undefined || stretch.rowCount <= 2 * options.rowsPerShard) planned.push(shard)
    else planned.push(...newShards(stretch, options.numbers))
  }
  return planned.length === current.shards.length ? current : new ZoneShards(planned)
}

type Stretch = {
  readonly rowCount: number
  /** Where shards of the usual size would begin. */
  readonly starts: readonly (Place | null)[]
}

/** How many rows are looked at between two questions whether the time slice is spent. */
const rowsPerStep = 256

async function measure(
  { after, end }: { readonly after: Place | null; readonly end: Place | undefined },
  { tables, zoneId, rowsPerShard, slice }: ShardPlanOptions,
): Promise<Stretch> {
  const starts: (Place | null)[] = [after]
  let rowCount = 0
  let last: Place | undefined
  for (const row of tables.list('recordsets', 'byZone', zoneId, after === null ? {} : { after })) {
    if (end !== undefined && comparePlaces(row, end) > 0) break
    if (last !== undefined && rowCount % rowsPerShard === 0) {
      starts.push({ createdAt: last.createdAt, id: last.id })
    }
    rowCount += 1
    last = row
    if (rowCount % rowsPerStep === 0 && slice.isSpent) await slice.rest()
  }
  return { rowCount, starts }
}

function newShards({ starts }: Stretch, numbers: ShardNumbers): Shard[] {
  return starts.map(after => ({ number: numbers.take(), after, isDirty: true }))
}
