import { randomInt } from 'node:crypto'
import type { Bulk } from '../../bulk/bulk.ts'
import type { PackedCopy } from '../../bulk/read-transfer.ts'
import { countOf } from '../../model/recordset-run.ts'
import {
  afterFailure,
  afterRefresh,
  isExpiryDue,
  longerLife,
  type Moment,
  type RefreshBounds,
  type RefreshFailure,
  type RefreshOutcome,
  whileReplacing,
} from '../../model/refresh.ts'
import { changedRow } from '../../model/stamped.ts'
import { isInUse, type SoaTimers, type TransferState, type Zone } from '../../model/zone.ts'
import type { Store, StoreReader } from '../../store/store.ts'
import type { ReceivedDifference } from '../../zone/difference-in.ts'
import type { SoaNumbers } from '../../zone/soa.ts'
import type { TransferQuota } from '../../zone/transfer-in.ts'
import { commitSteps, stepRecordsets } from '../changes/step-commits.ts'
import { storedRuns } from '../changes/stored-runs.ts'
import { type DifferenceChanges, differenceChanges } from './secondary-difference.ts'
import { type CopyChanges, contentsOf, noChanges, writeCopyChanges } from './zone-copy.ts'

// Writes the result of refreshing a SECONDARY zone. A copy costs its difference from the stored one. A small difference is one
// commit with the zone. A large one would hold up other work for seconds, so it is written in several commits under the mark
// `isReplacing`: the publisher serves the old copy until the mark is removed, and a copy that was interrupted is fetched again.

/** Turns the time of a transaction into the moment that plans start from. */
export type MomentAt = (atMicros: number) => Moment

/** An answer from a master. */
export type Contact = {
  readonly momentAt: MomentAt
} & RefreshOutcome

function afterContact(timers: SoaTimers, { momentAt, ...outcome }: Contact, atMicros: number) {
  return afterRefresh(timers, momentAt(atMicros), outcome)
}

/** Returns the present zone, unless it is not wanted any more or has other masters than `zone`. */
export function findUnchanged(reader: StoreReader, zone: Zone): Zone | undefined {
  const row = reader.get('zones', zone.id)
  if (row === undefined || !isInUse(row)) return undefined
  return row.masters.join() === zone.masters.join() ? row : undefined
}

/** Makes the zone equal to the copy. Returns how many recordsets that changed, undefined when the zone is not wanted any more.
 *  @throws WorkerDiedError */
export async function installCopy(
  store: Store,
  zone: Zone,
  { copy, bulk, ...contact }: { readonly copy: PackedCopy; readonly bulk: Bulk } & Contact,
): Promise<number | undefined> {
  const compared = await compareCopy(store, zone.id, { copy, bulk })
  return compared && install(store, zone, { ...contact, compared, soa: copy.soa })
}

/** Applies a master's changes to the stored copy. Returns how many recordsets that changed; undefined when the zone is not
 *  wanted any more; 'unfit', without any change, where the difference does not fit the copy or would leave a zone that is not
 *  sound or is over quota. */
export async function installDifference(
  store: Store,
  zone: Zone,
  {
    difference,
    quota,
    ...contact
  }: { readonly difference: ReceivedDifference; readonly quota: TransferQuota } & Contact,
): Promise<number | undefined | 'unfit'> {
  const row = findUnchanged(store, zone)
  if (row === undefined) return undefined
  const changes = await differenceChanges(store, row, { difference, quota })
  if (changes === undefined) return 'unfit'
  const compared = { ...comparedOf(changes), version: row.version }
  return install(store, zone, { ...contact, compared, soa: difference.soa })
}

/** Writes the new content of the zone, and returns how many recordsets that changed. */
async function install(
  store: Store,
  zone: Zone,
  {
    compared,
    soa,
    ...contact
  }: { readonly compared: ComparedCopy; readonly soa: SoaNumbers } & Contact,
): Promise<number | undefined> {
  const { serial, ...soaTimers } = soa
  let { version } = compared
  const isWanted = await commitSteps(compared.steps, (changes, { isFirst, isLast }) =>
    store.commit(tx => {
      const row = findUnchanged(tx, zone)
      if (row === undefined) return false
      const isAsCompared = row.version === version
      writeCopyChanges(tx, row, changes, isAsCompared)
      if (!isFirst && !isLast) return true
      const { atMicros } = tx
      const replaced = { serial, soaTimers, transferredAt: atMicros }
      const changed = changedRow(tx, row, {
        ...(isLast && replaced),
        transfer: isLast
          ? afterContact(soaTimers, contact, atMicros)
          : whileReplacing(row, atMicros),
      })
      tx.put('zones', changed)
      // Later steps find the zone at this version, unless another write changes it.
      if (isAsCompared) version = changed.version
      return true
    }),
  )
  return isWanted ? compared.changeCount : undefined
}

/** Notes that the stored copy has the serial of a master. */
export function noteCurrent(store: Store, zone: Zone, contact: Contact): Promise<void> {
  return noteState(store, zone, (row, atMicros) => confirmed(row, contact, atMicros))
}

function confirmed(row: Zone, contact: Contact, atMicros: number): TransferState {
  const expireSeconds = longerLife(row, contact.expireSeconds, atMicros)
  return afterContact(row.soaTimers, { ...contact, expireSeconds }, atMicros)
}

/** Notes why no master has given the zone.
 *  @param confirmation of a master that has the serial of the stored copy: that stays valid */
export function noteFailure(
  store: Store,
  zone: Zone,
  {
    failure,
    confirmation,
    momentAt,
  }: {
    readonly failure: RefreshFailure
    readonly confirmation?: RefreshOutcome | false
    readonly momentAt: MomentAt
  },
): Promise<void> {
  return noteState(store, zone, (row, atMicros) => {
    const { failureCount = 0 } = row.transfer ?? {}
    const transfer = confirmation && {
      ...confirmed(row, { ...confirmation, momentAt }, atMicros),
      failureCount,
    }
    return afterFailure(transfer ? { ...row, transfer } : row, failure, momentAt(atMicros))
  })
}

/** Marks the copies among these that are too old to be served; returns those zones, and why their last attempt failed. */
export function markExpired(
  store: Store,
  zoneIds: readonly string[],
  bounds: RefreshBounds,
): Promise<{ zone: string; reason: string | null }[]> {
  return store.commit(tx => {
    const expired: { zone: string; reason: string | null }[] = []
    for (const id of zoneIds) {
      const row = tx.get('zones', id)
      if (row?.transfer === undefined || !isInUse(row)) continue
      if (!isExpiryDue(row, { atMicros: tx.atMicros, bounds })) continue
      const transfer = { ...row.transfer, isExpired: true }
      tx.put('zones', { ...row, transfer, version: row.version + 1 })
      expired.push({ zone: row.name, reason: transfer.failure })
    }
    return expired
  })
}

/** The changes that a copy makes to the stored zone. */
type ComparedCopy = {
  /** At least one. */
  readonly steps: readonly CopyChanges[]
  readonly changeCount: number
  /** Of the zone that the copy was compared with. */
  readonly version: number
}

/** Undefined where the zone is gone. In a first copy everything is new. */
async function compareCopy(
  store: Store,
  zoneId: string,
  { copy, bulk }: { readonly copy: PackedCopy; readonly bulk: Bulk },
): Promise<ComparedCopy | undefined> {
  const row = store.get('zones', zoneId)
  if (row !== undefined && store.count('recordsets', 'byZone', zoneId) === 0) {
    const steps = copy.runs.map(added => ({ ...noChanges, added }))
    return { steps, changeCount: copy.recordsetCount, version: row.version }
  }
  const stored = await storedRuns(store, zoneId)
  if (stored === undefined) return undefined
  const compared = {
    stored: stored.runs,
    next: copy.runs,
    sameness: 'copy',
    keepsManaged: false,
    hashSeed: randomInt(2 ** 32),
  } as const
  const difference = await bulk.compareRuns(compared, stored.zone.projectId)
  return { ...comparedOf(difference), version: stored.zone.version }
}

function comparedOf(changes: DifferenceChanges): Pick<ComparedCopy, 'steps' | 'changeCount'> {
  const addedCount = changes.addedRuns.reduce((sum, run) => sum + countOf(run), 0)
  const changeCount = addedCount + countOf(changes.changedRun) + changes.removedIds.length
  return { steps: stepsOf(changes, changeCount), changeCount }
}

/** Cuts a difference into steps; at least one. */
function stepsOf(
  { addedRuns, changedRun, removedIds }: DifferenceChanges,
  changeCount: number,
): CopyChanges[] {
  const changed = contentsOf(changedRun)
  if (changeCount <= stepRecordsets) {
    return [{ removedIds, changed, added: addedRuns[0] ?? noChanges.added }]
  }
  // Removing first makes room for what replaces the removed recordsets, such as a CNAME.
  return [
    ...piecesOf(removedIds).map(removedIds => ({ ...noChanges, removedIds })),
    ...piecesOf(changed).map(changed => ({ ...noChanges, changed })),
    ...addedRuns.map(added => ({ ...noChanges, added })),
  ]
}

function piecesOf<T>(all: readonly T[]): T[][] {
  const count = Math.ceil(all.length / stepRecordsets)
  return Array.from({ length: count }, (_, i) =>
    all.slice(i * stepRecordsets, (i + 1) * stepRecordsets),
  )
}

/** Such a write does not change the zone for its users, so `updatedAt` stays. */
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
