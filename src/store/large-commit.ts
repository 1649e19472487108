import { recordsetUnpacker } from '../model/packed-recordset.ts'
import { countOf, type RecordsetRun, recordsetAt } from '../model/recordset-run.ts'
import type { Zone } from '../model/zone.ts'
import type { Commit } from './store.ts'

// Which commits are shown beside those behind them, and which of those need not wait.

type Changes = Pick<Commit, 'rowChanges' | 'added'>

/** What is made visible in one go: a millisecond. */
export const maxRowsAtOnce = 100

/** How many rows a commit changes. */
export function rowCountOf({ rowChanges, added }: Changes): number {
  return added.reduce((count, run) => count + countOf(run), rowChanges.length)
}

export function isLarge(commit: Changes): boolean {
  return rowCountOf(commit) > maxRowsAtOnce
}

/** The zone of which a commit changes recordsets and its own row, and nothing else; undefined where there is none. */
export function onlyZoneOf({ rowChanges, added }: Changes): string | undefined {
  const ids = new Set<string | undefined>(added.map(zoneIdOfRun))
  for (const { collection, id, before, after } of rowChanges) {
    if (collection === 'recordsets') ids.add((after ?? before)?.zoneId)
    else ids.add(collection === 'zones' && isSamePlace(before, after) ? id : undefined)
  }
  const [id] = ids
  return ids.size === 1 ? id : undefined
}

/** Whether a commit changes nothing but recordsets, and rows of zones, and nothing of one zone. */
export function isOfOtherZones({ rowChanges, added }: Changes, zoneId: string): boolean {
  return (
    added.every(run => zoneIdOfRun(run) !== zoneId) &&
    rowChanges.every(({ collection, id, before, after }) => {
      if (collection === 'recordsets') return (after ?? before)?.zoneId !== zoneId
      return collection === 'lastSerials' || (collection === 'zones' && id !== zoneId)
    })
  )
}

function isSamePlace(before: Zone | undefined, after: Zone | undefined): boolean {
  return before?.name === after?.name && before?.poolId === after?.poolId
}

export function zoneIdOfRun(run: RecordsetRun): string {
  return recordsetUnpacker.zoneIdOf(recordsetAt(run, 0))
}
