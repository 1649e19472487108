import { ApiError } from '../../errors.ts'
import type { Caller } from '../../identity/caller.ts'
import type { ChangeSet } from '../../model/change-set.ts'
import { definedOf } from '../../model/changes.ts'
import { requireValid } from '../../model/field-rules.ts'
import { maxChangeLines } from '../../model/limits.ts'
import { canonicalOwnerName } from '../../model/owner-name.ts'
import { recordsetUnpacker } from '../../model/packed-recordset.ts'
import type { Recordset } from '../../model/recordset.ts'
import { type PlacedRecordset, recordsetsOf, stampRun } from '../../model/recordset-run.ts'
import type { Zone } from '../../model/zone.ts'
import { zoneFieldErrors } from '../../model/zone-draft.ts'
import type { Store, StoreReader, Transaction } from '../../store/store.ts'
import { inSlices, mapInSlices } from '../../time-slice.ts'
import { findRecordsetOf } from '../rules/find-recordset.ts'
import { requireLeastTtl } from '../rules/least-ttl.ts'
import { quotasOf } from '../rules/quotas.ts'
import { requireVersion } from '../rules/row-versions.ts'
import { getWritableZone, getZone } from '../rules/zone-access.ts'
import { advanceZone } from '../rules/zone-rows.ts'
import { type ChangedRecordsets, writeLines } from './change-lines.ts'

/** Lines that are checked and written in one go, in some milliseconds. More lines are checked beforehand, in slices. */
const maxLinesAtOnce = 100
/** Attempts at that while others change the zone. After these, the others wait for it. */
const maxStagings = 3

type ChangeSetsOptions = {
  readonly store: Store
  /** The minimum TTL; none when not given. */
  readonly minTtlSeconds?: number
}

/** What a change set did, or would do. */
export type ChangeSetOutcome = ChangedRecordsets & {
  readonly before: Zone
  /** With the new serial. */
  readonly zone: Zone
}

/** Makes a change set for a zone, from the recordsets that it finds there by name and type. */
type ChangeSetMaker = (zone: Zone, find: RecordsetFinder) => ChangeSet

export type RecordsetFinder = (named: Pick<Recordset, 'name' | 'type'>) => Recordset | undefined

/** A change set, or what makes it when it is written, its caller and its zone. */
type ZoneChangeSet = {
  readonly caller: Caller
  readonly zoneId: string
  readonly set: ChangeSet | ChangeSetMaker
}

/** Changes of many recordsets of a zone as one commit with one serial: all or none. */
export class ChangeSets {
  readonly #options: ChangeSetsOptions

  constructor(options: ChangeSetsOptions) {
    this.#options = options
  }

  /** @throws ApiError zone_not_found, bad_request, forbidden, invalid_object, and as `writeLines` */
  async apply(caller: Caller, zoneId: string, set: ChangeSet): Promise<ChangeSetOutcome> {
    requireLines(set)
    return this.#apply({ caller, zoneId, set }, lineCount(set))
  }

  /** As `apply`, with a change set that depends on what the zone has: it is made again where it is written, so no change
   *  comes between. An empty one changes nothing. */
  async applyMade(caller: Caller, zoneId: string, make: ChangeSetMaker): Promise<void> {
    const { store } = this.#options
    const zone = getZone(store, caller, zoneId)
    const set = make(zone, finderIn(store, zone))
    if (lineCount(set) === 0) return
    requireLines(set)
    await this.#apply({ caller, zoneId, set: make }, lineCount(set))
  }

  /** What `apply` would do.
   *  @throws ApiError as `apply` */
  async dryRun(caller: Caller, zoneId: string, set: ChangeSet): Promise<ChangeSetOutcome> {
    requireLines(set)
    return inSlices(this.writeIn(this.#options.store.stage(), { caller, zoneId, set }))
  }

  /** Writes a change set in a transaction, one step a line. */
  *writeIn(tx: Transaction, change: ZoneChangeSet): Generator<undefined, ChangeSetOutcome> {
    const { before, fields, changed } = yield* this.#writeRecordsets(tx, change)
    return { before, zone: advanceZone(tx, before, fields), ...changed }
  }

  async #apply(change: ZoneChangeSet, count: number): Promise<ChangeSetOutcome> {
    for (let left = count <= maxLinesAtOnce ? 0 : maxStagings; left > 0; left -= 1) {
      const outcome = await this.#applyStaged(change)
      if (outcome !== undefined) return outcome
    }
    return this.#options.store.commitInSteps(tx => this.writeIn(tx, change))
  }

  /** Does not write the zone's own row. */
  *#writeRecordsets(tx: Transaction, { caller, zoneId, set: given }: ZoneChangeSet) {
    const before = getWritableZone(tx, caller, zoneId)
    const set = typeof given === 'function' ? given(before, finderIn(tx, before)) : given
    requireVersion(before, set.expectedVersions)
    const { minTtlSeconds } = this.#options
    const changed = yield* writeLines(tx, { caller, zone: before, minTtlSeconds }, set)
    const fields = definedOf(set.zone ?? {})
    if (set.zone !== undefined) requireValid('zone', zoneFieldErrors({ ...before, ...fields }))
    requireLeastTtl(caller, fields.ttlSeconds, minTtlSeconds)
    return { before, fields, changed }
  }

  /** Checks and stages the lines while others need not wait, and then commits them; undefined where others have
   *  changed the zone meanwhile. */
  async #applyStaged(change: ZoneChangeSet): Promise<ChangeSetOutcome | undefined> {
    const { store } = this.#options
    const { caller, zoneId } = change
    const basis = basisOf(store, zoneId)
    const staged = store.stage()
    const { fields, changed } = await inSlices(this.#writeRecordsets(staged, change))
    const run = await inSlices(staged.packRecordsets())
    const zones = await store.commit(tx => {
      const before = getWritableZone(tx, caller, zoneId)
      if (basisOf(tx, zoneId) !== basis) return undefined
      tx.adoptRecordsets(staged)
      const zone = advanceZone(tx, before, fields)
      // Last: a later lookup among the packed recordsets would unpack them all.
      stampRun(run, { zoneId, createdAt: tx.atMicros })
      tx.insertRecordsets(run)
      return { before, zone, atMicros: tx.atMicros }
    })
    if (zones === undefined) return undefined
    const stamped = recordsetsOf(run)
    const created = await mapInSlices(changed.created, row => {
      if (row.shareId !== undefined) return row
      const id = recordsetUnpacker.idOf(stamped.next().value as PlacedRecordset)
      return { ...row, id, createdAt: zones.atMicros }
    })
    return { ...changed, before: zones.before, zone: zones.zone, created }
  }
}

function finderIn(reader: StoreReader, zone: Zone): RecordsetFinder {
  return ({ name, type }) => findRecordsetOf(reader, zone, { name: canonicalOwnerName(name), type })
}

function lineCount(set: ChangeSet): number {
  const fields = Object.keys(set.zone ?? {}).length
  return set.create.length + set.replace.length + set.delete.length + fields
}

/** @throws ApiError invalid_object */
function requireLines(set: ChangeSet): void {
  const count = lineCount(set)
  if (count > 0 && count <= maxChangeLines) return
  throw new ApiError('invalid_object', `A change names 1 to ${maxChangeLines} recordsets`)
}

/** Everything that the outcome of a change depends on, beside the change itself and the rights of its caller. Every
 *  change of a zone's data changes the version of its row. */
function basisOf(reader: StoreReader, zoneId: string): string {
  const zone = reader.get('zones', zoneId)
  if (zone === undefined) return ''
  const key = zone.name.toLowerCase()
  const [newestChild] = reader.list('zones', 'byAncestor', key, { isDescending: true })
  const childCount = reader.count('zones', 'byAncestor', key)
  const quotas = quotasOf(reader, zone.projectId)
  return JSON.stringify([zone.version, childCount, newestChild?.id, quotas])
}
