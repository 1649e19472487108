import { stampRun } from '../model/recordset-run.ts'
import {
  afterFailure,
  afterRefresh,
  isExpiryDue,
  type Moment,
  type RefreshBounds,
  type RefreshFailure,
  whileReplacing,
} from '../model/refresh.ts'
import { isInUse, type TransferState, type Zone } from '../model/zone.ts'
import type { Store, StoreReader, Transaction } from '../store/store.ts'
import type { ZoneCopy } from '../zone/transfer-in.ts'
import { commitSteps, runRecordsets, stepRecordsets } from './step-commits.ts'
import {
  type CopyChanges,
  type CopyDifference,
  compareCopy,
  contentsOf,
  runOf,
  writeCopyChanges,
} from './zone-copy.ts'
import { changedRow } from './zone-rows.ts'

// Writes what refreshing a SECONDARY zone comes to. A copy costs its difference from what is stored. A small
// one is one commit with the zone. A large one would hold up everybody else for seconds, so it is written in
// several, under the mark `isReplacing`: the publisher serves the old copy until the mark is gone, and a copy
// that was cut short is fetched again.

/** Turns the time of a transaction into a moment to plan from. */
export type MomentAt = (atMicros: number) => Moment

/** Returns the zone as it is now, unless it is not wanted any more or has other masters than `zone` has. */
export function findUnchanged(reader: StoreReader, zone: Zone): Zone | undefined {
  const row = reader.get('zones', zone.id)
  if (row === undefined || !isInUse(row)) return undefined
  return row.masters.join() === zone.masters.join() ? row : undefined
}

/** Makes the zone what the copy says. Returns how many record sets that changed, undefined when the zone is
 *  not wanted any more. */
export async function installCopy(
  store: Store,
  zone: Zone,
  { copy, momentAt }: { readonly copy: ZoneCopy; readonly momentAt: MomentAt },
): Promise<number | undefined> {
  const difference = await compareCopy(store, zone.id, copy)
  const { serial, ...soaTimers } = copy.soa
  const isFirstCopy = store.count('recordsets', 'byZone', zone.id) === 0
  const steps = isFirstCopy ? firstSteps(copy, difference) : stepsOf(copy, difference)
  const isWanted = await commitSteps(steps, (changes, { isFirst, isLast }) =>
    commitStep(store, zone, changes, (row, atMicros) => {
      if (!isLast) return isFirst ? { transfer: whileReplacing(row, atMicros) } : undefined
      const transfer = afterRefresh(soaTimers, momentAt(atMicros))
      return { serial, soaTimers, transfer, transferredAt: atMicros }
    }),
  )
  return isWanted ? difference.put.length + difference.removed.length : undefined
}

/** Notes that a master has said that the copy at hand is its own. */
export function noteCurrent(store: Store, zone: Zone, momentAt: MomentAt): Promise<void> {
  return noteState(store, zone, (row, atMicros) => afterRefresh(row.soaTimers, momentAt(atMicros)))
}

/** Notes that all masters have failed, and why. */
export function noteFailure(
  store: Store,
  zone: Zone,
  { failure, momentAt }: { readonly failure: RefreshFailure; readonly momentAt: MomentAt },
): Promise<void> {
  return noteState(store, zone, (row, atMicros) => afterFailure(row, failure, momentAt(atMicros)))
}

/** Marks the copies among these that are too old to be served; returns the names of those zones. */
export function markExpired(
  store: Store,
  zoneIds: readonly string[],
  bounds: RefreshBounds,
): Promise<string[]> {
  return store.commit(tx => {
    const names: string[] = []
    for (const id of zoneIds) {
      const row = tx.get('zones', id)
      if (row?.transfer === undefined || !isInUse(row)) continue
      if (!isExpiryDue(row, { atMicros: tx.atMicros, bounds })) continue
      const transfer = { ...row.transfer, isExpired: true }
      tx.put('zones', { ...row, transfer, version: row.version + 1 })
      names.push(row.name)
    }
    return names
  })
}

/** Writes one step of a copy, and what that means for the zone. Returns whether the zone is still wanted. */
function commitStep(
  store: Store,
  zone: Zone,
  write: WriteStep,
  changesOf: (row: Zone, atMicros: number) => Partial<Zone> | undefined,
): Promise<boolean> {
  return store.commit(tx => {
    const row = findUnchanged(tx, zone)
    if (row === undefined) return false
    write(tx, row)
    const changes = changesOf(row, tx.atMicros)
    if (changes !== undefined) tx.put('zones', changedRow(tx, row, changes))
    return true
  })
}

/** Writes one step of a copy. */
type WriteStep = (tx: Transaction, zone: Zone) => void

/** Cuts the first copy of a zone into steps. It costs next to nothing but what is written, as long as nobody else has put
 *  anything into the zone. */
function* firstSteps(copy: ZoneCopy, { put }: CopyDifference): Generator<WriteStep> {
  for (let from = 0; from < put.length; from += runRecordsets) {
    const indexes = put.subarray(from, from + runRecordsets)
    const run = runOf(copy, indexes)
    yield (tx, zone) => {
      if (tx.count('recordsets', 'byZone', zone.id) !== from) {
        writeCopyChanges(tx, zone, { put: contentsOf(copy, indexes), removed: [] })
        return
      }
      stampRun(run, { zoneId: zone.id, createdAt: tx.atMicros })
      tx.insertRecordsets(run)
    }
  }
}

/** Cuts a difference into steps; at least one. */
function* stepsOf(copy: ZoneCopy, difference: CopyDifference): Generator<WriteStep> {
  for (const changes of changesOf(copy, difference)) {
    yield (tx, zone) => writeCopyChanges(tx, zone, changes)
  }
}

function* changesOf(copy: ZoneCopy, { put, removed }: CopyDifference): Generator<CopyChanges> {
  if (put.length + removed.length <= stepRecordsets) {
    yield { put: contentsOf(copy, put), removed }
    return
  }
  // Removing first makes room for what takes the place of the removed, such as a CNAME.
  for (let from = 0; from < removed.length; from += stepRecordsets) {
    yield { put: [], removed: removed.slice(from, from + stepRecordsets) }
  }
  for (let from = 0; from < put.length; from += stepRecordsets) {
    yield { put: contentsOf(copy, put.subarray(from, from + stepRecordsets)), removed: [] }
  }
}

/** Such a write is no change of the zone for its users, so `updatedAt` stays. */
function noteState(
  store: Store,
  zone: Zone,
  next: (row: Zone, atMicros: number) => TransferState,
): Promise<void> {
  return store.commit(tx => {
    const row = findUnchanged(tx, zone)
    if (row === undefined) return
    const transfer = next(row, tx.atMicros)
    tx.put('zones', { ...row, transfer, version: row.version + 1 })
  })
}
