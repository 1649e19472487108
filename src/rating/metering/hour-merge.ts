import { TimeSlice } from '../../time-slice.ts'
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

/** Puts together what several nodes have counted in one hour: what they answered is added up. Time passes for all of them at
 *  once, so the time of a zone is that of one node, with all owners it had: one that saw the whole hour where there is
 *  one, and of these the one that saw most. The result depends on nothing but what was counted. */
export async function mergeHour(nodes: readonly NodeHour[]): Promise<readonly ZoneTally[]> {
  const merged = new Map<string, ZoneTally>()
  const times = new Map<string, ZoneTimes>()
  for (const node of [...nodes].sort((a, b) => (a.node < b.node ? -1 : 1))) {
    for (const [zoneId, tallies] of await addCounts(merged, node)) {
      const seen = timesOf(tallies, node)
      const known = times.get(zoneId)
      if (known === undefined || isBetter(seen, known)) times.set(zoneId, seen)
    }
  }
  for (const { tallies } of times.values()) {
    for (const { owner, tally } of tallies) {
      const into = mergedOf(merged, owner).tally
      for (const at of [zoneMillisAt, recordsetMillisAt]) addTo(into, at, tally[at] ?? 0)
    }
  }
  return [...merged.values()].filter(({ tally }) => tally.some(amount => amount > 0))
}

/** Adds what a node answered; returns all that it has counted, by zone. */
async function addCounts(
  merged: Map<string, ZoneTally>,
  node: NodeHour,
): Promise<ReadonlyMap<string, readonly ZoneTally[]>> {
  const byZone = new Map<string, ZoneTally[]>()
  const slice = new TimeSlice()
  for await (const each of unpackHour(node)) {
    const { tally } = mergedOf(merged, each.owner)
    for (let at = 0; at < countedLength; at += 1) addTo(tally, at, each.tally[at] ?? 0)
    getOrPut(byZone, each.owner.zoneId, () => []).push(each)
    if (slice.isSpent) await slice.rest()
  }
  return byZone
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

/** One that was told of a change when its hour had ended has missed an owner. */
function isBetter(a: ZoneTimes, b: ZoneTimes): boolean {
  if (a.isWhole !== b.isWhole) return a.isWhole
  if (a.zoneMillis !== b.zoneMillis) return a.zoneMillis > b.zoneMillis
  if (a.tallies.length !== b.tallies.length) return a.tallies.length > b.tallies.length
  return a.recordsetMillis > b.recordsetMillis
}
