import { inSlices, type Steps, TimeSlice } from '../../time-slice.ts'
import { getOrPut } from '../get-or-put.ts'
import type { Owner } from './account.ts'
import { type NodeHour, unpackHour } from './handed-hours.ts'
import type { ZoneTally } from './hourly-usage.ts'
import { addTo, countedLength, newTally, recordsetMillisAt, zoneMillisAt } from './tally.ts'

/** How long a zone and its recordsets were there, as one node has seen it. */
type ZoneTimes = {
  readonly isWhole: boolean
  readonly zoneMillis: number
  readonly recordsetMillis: number
  readonly tallies: readonly ZoneTally[]
}

/** Merges what several nodes have counted in one hour. Responses are added up. Time passes at all nodes at once, so the
 *  time of a zone, with all its owners, is taken from one node: from those that ran the whole hour, if any, the one that
 *  saw most. The result depends on the counts alone.
 *  @param requireWanted called now and then; what it throws ends the merge */
export async function mergeHour(
  nodes: readonly NodeHour[],
  requireWanted: () => void = () => undefined,
): Promise<readonly ZoneTally[]> {
  const merged = new Map<string, ZoneTally>()
  const times = new Map<string, ZoneTimes>()
  for (const node of [...nodes].sort((a, b) => (a.source < b.source ? -1 : 1))) {
    const byZone = await addCounts(merged, node, requireWanted)
    await inSlices(seeTimes(times, byZone, node))
  }
  await inSlices(addTimes(merged, times))
  return [...merged.values()].filter(({ tally }) => tally.some(amount => amount > 0))
}

/** Adds what a node answered; returns all that it has counted, by zone. */
async function addCounts(
  merged: Map<string, ZoneTally>,
  node: NodeHour,
  requireWanted: () => void,
): Promise<ReadonlyMap<string, readonly ZoneTally[]>> {
  const byZone = new Map<string, ZoneTally[]>()
  const slice = new TimeSlice()
  for await (const each of unpackHour(node)) {
    requireWanted()
    const { tally } = mergedOf(merged, each.owner)
    for (let at = 0; at < countedLength; at += 1) addTo(tally, at, each.tally[at] ?? 0)
    getOrPut(byZone, each.owner.zoneId, () => []).push(each)
    if (slice.isSpent) await slice.yield()
  }
  return byZone
}

/** Keeps the better of what was known of the time of each zone and what a node has seen. */
function* seeTimes(
  times: Map<string, ZoneTimes>,
  byZone: ReadonlyMap<string, readonly ZoneTally[]>,
  node: NodeHour,
): Steps<void> {
  for (const [zoneId, tallies] of byZone) {
    yield
    const seen = timesOf(tallies, node)
    const known = times.get(zoneId)
    if (known === undefined || isBetter(seen, known)) times.set(zoneId, seen)
  }
}

function* addTimes(
  merged: Map<string, ZoneTally>,
  times: ReadonlyMap<string, ZoneTimes>,
): Steps<void> {
  for (const { tallies } of times.values()) {
    yield
    for (const { owner, tally } of tallies) {
      const into = mergedOf(merged, owner).tally
      for (const at of [zoneMillisAt, recordsetMillisAt]) addTo(into, at, tally[at] ?? 0)
    }
  }
}

function mergedOf(merged: Map<string, ZoneTally>, owner: Owner): ZoneTally {
  const { zoneId, zoneName, zoneType, poolId, projectId, isSigned } = owner
  const key = JSON.stringify([zoneId, zoneName, zoneType, poolId, projectId, isSigned])
  return getOrPut(merged, key, () => ({ owner, tally: newTally() }))
}

function timesOf(tallies: readonly ZoneTally[], { isWhole }: NodeHour): ZoneTimes {
  const sum = (at: number) => tallies.reduce((millis, { tally }) => millis + (tally[at] ?? 0), 0)
  return {
    isWhole,
    zoneMillis: sum(zoneMillisAt),
    recordsetMillis: sum(recordsetMillisAt),
    tallies,
  }
}

/** A node that learned of a change after its hour had ended has missed an owner. */
function isBetter(a: ZoneTimes, b: ZoneTimes): boolean {
  if (a.isWhole !== b.isWhole) return a.isWhole
  if (a.zoneMillis !== b.zoneMillis) return a.zoneMillis > b.zoneMillis
  if (a.tallies.length !== b.tallies.length) return a.tallies.length > b.tallies.length
  return a.recordsetMillis > b.recordsetMillis
}
