import { types } from './dns/codes.ts'
import { parseName } from './dns/name.ts'
import { parseRdata, typeCode } from './dns/rdata/index.ts'
import type { Recordset } from './model/recordset.ts'
import { rrsetOf } from './model/recordset-rrset.ts'
import { isComplete, type Zone } from './model/zone.ts'
import type { TargetReport } from './model/zone-state.ts'
import { everything } from './store/indexes.ts'
import type { Change, Commit, Store } from './store/store.ts'
import { TableSweep } from './table-sweep.ts'
import { inSlices, type Steps, TimeSlice } from './time-slice.ts'
import { type Edit, HeldEdits, inOrder } from './zone/edits.ts'
import type { TableZone } from './zone/table/table-zone.ts'
import type { TargetZones } from './zone/table/target-zones.ts'
import type { ZoneTable } from './zone/table/zone-table.ts'

// The bridge between the planes: what a commit changed in the store is changed in the zone table, at the cost of
// the change, before the commit's promise resolves, and in small steps where that is much. It never throws: a row that cannot be served is reported and
// left out, and its zone is served without it.

/** A server in this process and all it answers from. */
export type Target = { readonly name: string; readonly zones: TargetZones }

/** Something that is stored but not served. */
export type PublishProblem = {
  readonly zone: Zone
  readonly problem: string
  /** What was thrown, where that was not foreseen. */
  readonly error?: unknown
}

export type PublisherOptions = {
  readonly store: Store
  /** Where the zones of all targets are. */
  readonly table: ZoneTable
  targetsOf(poolId: string): readonly Target[]
  readonly onProblem: (problem: PublishProblem) => void
  /** Told of each commit once it is served, in order. */
  readonly onPublished?: (commit: Commit) => void
}

/** RRsets between two questions whether others should have their turn. */
const editsPerStep = 16

/** A zone that no target serves yet. */
type Staged = { readonly served: TableZone; hasSoa: boolean }

/** Keeps what the targets serve in step with the store, and says what that is. */
export class Publisher {
  readonly #options: PublisherOptions
  readonly #sweep: TableSweep
  /** The first copy of a SECONDARY zone is committed in parts and grows here with them, so that its last commit
   *  has little left to do. */
  readonly #staged = new Map<string, Staged>()
  /** What a copy that is committed in parts changes of a zone that is served: done with its last commit. */
  readonly #held = new Map<string, HeldEdits>()
  /** What is not served, by zone and then by record set; what concerns all of a zone goes by its own id. */
  readonly #problems = new Map<string, Map<string, string>>()
  /** Zones of the last commit that are stored as it says and not served so yet. */
  readonly #unpublished = new Set<string>()

  constructor(options: PublisherOptions) {
    this.#options = options
    this.#sweep = new TableSweep(options.table)
  }

  /** Serves all that is stored, and every commit from then on. Before it resolves nothing may be committed. */
  async start(): Promise<void> {
    const { store } = this.#options
    const slice = new TimeSlice()
    for (const zone of store.list('zones', 'all', everything)) {
      if (!zone.isDeleting) await this.#startZone(zone, slice)
    }
    store.setCommitListener(commit => this.#publishAndTell(commit))
  }

  async #startZone(zone: Zone, slice: TimeSlice): Promise<void> {
    try {
      const staged = this.#stage(zone)
      for (const recordset of this.#options.store.list('recordsets', 'byZone', zone.id)) {
        for (const edit of this.#editsFor(recordset, zone)) this.#put(zone, staged, edit)
        if (slice.isSpent) await slice.rest()
      }
      this.#settle(zone)
    } catch (error) {
      this.#report(zone, zone.id, { problem: messageOf(error), error })
    }
  }

  /** What each target of the zone's pool serves of it. */
  reportsOf(zone: Zone): readonly TargetReport[] {
    const [problem] = this.#problems.get(zone.id)?.values() ?? []
    const apex = parseName(zone.name)
    return this.#options
      .targetsOf(zone.poolId)
      .map(({ name, zones }) => ({ target: name, serial: zones.get(apex)?.serial, problem }))
  }

  /** Why a record set is not, or not wholly, served; undefined while it is. */
  problemOf({ zoneId, id }: Recordset): string | undefined {
    return this.#problems.get(zoneId)?.get(id)
  }

  /** Whether a commit that changes much of a zone is only in part served so far. */
  isPublishing(zoneId: string): boolean {
    return this.#unpublished.has(zoneId)
  }

  /** Brings what the targets serve of a zone back to what is stored, whatever they have made of it, beside changes
   *  that go on. Does nothing for a zone that is not to be served, or not yet. */
  async republish(zoneId: string): Promise<void> {
    const { store } = this.#options
    const slice = new TimeSlice()
    let unservedCount = 0
    for (const { id } of store.list('recordsets', 'byZone', zoneId)) {
      if (!this.republishRecordset(zoneId, id)) unservedCount += 1
      if (slice.isSpent) await slice.rest()
    }
    const zone = this.#zoneToServe(zoneId)
    if (zone === undefined) return
    const storedCount = store.count('recordsets', 'byZone', zoneId) - unservedCount
    // What nobody has stored is found by counting, and what to do about it is rare enough to be simple.
    if (this.#servedOf(zone)?.rrsetCount !== storedCount) {
      await inSlices(this.#publishStaged(zone, { before: undefined, recordsets: [] }))
    }
  }

  /** As `republish`, for one record set; returns whether there is something of it to serve. */
  republishRecordset(zoneId: string, id: string): boolean {
    const zone = this.#zoneToServe(zoneId)
    const recordset = this.#options.store.get('recordsets', id)
    if (zone === undefined || recordset === undefined) return false
    const served = this.#servedOf(zone)
    const edits = this.#editsFor(recordset, zone)
    if (served !== undefined) for (const edit of edits) this.#edit(zone, served, edit)
    return edits.some(({ rrset }) => rrset !== undefined)
  }

  #zoneToServe(id: string): Zone | undefined {
    const zone = this.#options.store.get('zones', id)
    return zone === undefined || zone.isDeleting || !isComplete(zone) ? undefined : zone
  }

  *#publishAndTell(commit: Commit): Steps<void> {
    yield* this.#publishCommit(commit)
    this.#options.onPublished?.(commit)
  }

  *#publishCommit({ changes }: Commit): Steps<void> {
    const byZone = changesByZone(changes)
    for (const zoneId of byZone.keys()) this.#unpublished.add(zoneId)
    for (const [zoneId, changesOfZone] of byZone) {
      yield* this.#publishZone(zoneId, changesOfZone)
      this.#unpublished.delete(zoneId)
    }
  }

  *#publishZone(zoneId: string, { zoneChange, recordsets }: ZoneChanges): Steps<void> {
    const before = zoneChange?.before
    const stored = () => this.#options.store.get('zones', zoneId)
    const after = zoneChange === undefined ? stored() : zoneChange.after
    const zone = after ?? before
    if (zone === undefined) return
    try {
      if (before !== undefined && before.poolId !== after?.poolId) this.#withdraw(before)
      if (after === undefined || after.isDeleting) this.#withdraw(zone)
      else yield* this.#publishChanges(after, { before, recordsets })
    } catch (error) {
      this.#report(zone, zone.id, { problem: messageOf(error), error })
    }
  }

  *#publishChanges(zone: Zone, { before, recordsets }: ZoneCommit): Steps<void> {
    const served = this.#servedOf(zone)
    this.#forget(zone.id, zone.id)
    if (served === undefined) yield* this.#publishStaged(zone, { before, recordsets })
    else if (isReplacing(zone)) this.#hold(zone, recordsets)
    else {
      if (hasNewTtl(zone, before)) {
        yield* this.#apply(zone, this.#editsForStored(zone, isInheriting))
      }
      const held = this.#held.get(zone.id)
      this.#held.delete(zone.id)
      const edits = this.#editsForChanges(zone, recordsets)
      yield* this.#apply(zone, held?.completedWith(edits) ?? inOrder(edits))
    }
    const current = served && this.#servedOf(zone)
    if (current !== undefined) current.isExpired = isExpired(zone)
  }

  *#publishStaged(zone: Zone, { before, recordsets }: ZoneCommit): Steps<void> {
    const known = this.#staged.get(zone.id)
    const staged = known ?? this.#stage(zone)
    if (known === undefined) yield* this.#fill(zone, staged, this.#editsForStored(zone))
    else if (hasNewTtl(zone, before)) {
      yield* this.#fill(zone, staged, this.#editsForStored(zone, isInheriting))
    }
    yield* this.#fill(zone, staged, this.#editsForChanges(zone, recordsets))
    this.#settle(zone)
  }

  #hold(zone: Zone, recordsets: RecordsetChanges): void {
    const held = this.#held.get(zone.id) ?? new HeldEdits()
    this.#held.set(zone.id, held)
    for (const edit of this.#editsForChanges(zone, recordsets)) held.put(edit)
  }

  /** Fills a zone that is not served yet, in any order. */
  *#fill(zone: Zone, staged: Staged, edits: Iterable<Edit | undefined>): Steps<void> {
    let count = 0
    for (const edit of edits) {
      count += 1
      if (count % editsPerStep === 0) yield
      // Meanwhile somebody else may have brought it to an end.
      if (this.#staged.get(zone.id) !== staged) return
      if (edit !== undefined) this.#put(zone, staged, edit)
    }
  }

  #put(zone: Zone, staged: Staged, edit: Edit): void {
    const isDone = this.#edit(zone, staged.served, edit)
    if (isDone && edit.type === types.SOA && edit.rrset !== undefined) staged.hasSoa = true
  }

  /** Changes a zone that is served. */
  *#apply(zone: Zone, edits: Iterable<Edit | undefined>): Steps<void> {
    let served = this.#servedOf(zone)
    let count = 0
    for (const edit of edits) {
      count += 1
      if (count % editsPerStep === 0) {
        yield
        // Meanwhile another may have taken its place.
        served = this.#servedOf(zone)
      }
      if (served === undefined) return
      if (edit !== undefined) this.#edit(zone, served, edit)
    }
  }

  /** Returns whether it could be done. */
  #edit(zone: Zone, served: TableZone, { recordsetId, owner, type, rrset }: Edit): boolean {
    try {
      if (rrset !== undefined) served.putRrset(owner, rrset)
      // A zone lives on its SOA; one that cannot be read leaves the last good one in place.
      else if (type !== types.SOA) served.removeRrset(owner, type)
      return true
    } catch (error) {
      this.#report(zone, recordsetId, { problem: messageOf(error), error })
      return false
    }
  }

  /** Starts a zone that is not served yet. */
  #stage(zone: Zone): Staged {
    const soa = { ...placeholderSoa, owner: parseName(zone.name) }
    const staged = { served: this.#options.table.createZone(soa), hasSoa: false }
    this.#staged.set(zone.id, staged)
    return staged
  }

  /** Serves what is staged of a zone, once that is all of it. */
  #settle(zone: Zone): void {
    const staged = this.#staged.get(zone.id)
    if (staged === undefined || !isComplete(zone)) return
    const { served, hasSoa } = staged
    served.isExpired = isExpired(zone)
    if (!hasSoa) this.#report(zone, zone.id, { problem: 'there is no SOA to serve' })
    else for (const { zones } of this.#options.targetsOf(zone.poolId)) zones.publish(served)
    this.#unstage(zone)
  }

  /** A zone that is staged no more lives on where it is served. */
  #unstage(zone: Zone): void {
    const staged = this.#staged.get(zone.id)
    if (staged === undefined) return
    this.#staged.delete(zone.id)
    this.#options.table.discard(staged.served)
    this.#sweep.begin()
  }

  #withdraw(zone: Zone): void {
    const apex = parseName(zone.name)
    for (const { zones } of this.#options.targetsOf(zone.poolId)) zones.withdraw(apex)
    this.#unstage(zone)
    this.#held.delete(zone.id)
    this.#problems.delete(zone.id)
    this.#sweep.begin()
  }

  /** The zone that all targets of its pool serve; undefined where one of them does not. */
  #servedOf(zone: Zone): TableZone | undefined {
    const apex = parseName(zone.name)
    const [first, ...others] = this.#options
      .targetsOf(zone.poolId)
      .map(({ zones }) => zones.get(apex))
    return others.every(other => other?.ref === first?.ref) ? first : undefined
  }

  /** What is gone comes first: another record set may have taken its place. */
  *#editsForChanges(zone: Zone, recordsets: RecordsetChanges): Generator<Edit> {
    for (const { id, before, after } of recordsets) {
      if (after !== undefined || before === undefined) continue
      this.#forget(zone.id, id)
      yield* editsWithout(before)
    }
    for (const { after } of recordsets) if (after !== undefined) yield* this.#editsFor(after, zone)
  }

  /** Undefined for each record set that is not wanted: it takes its time too. */
  *#editsForStored(
    zone: Zone,
    isWanted: (recordset: Recordset) => boolean = () => true,
  ): Generator<Edit | undefined> {
    for (const recordset of this.#options.store.list('recordsets', 'byZone', zone.id)) {
      if (isWanted(recordset)) yield* this.#editsFor(recordset, zone)
      else yield undefined
    }
  }

  /** The edit that brings a record set's present state; none where its place cannot even be named. */
  #editsFor(recordset: Recordset, zone: Zone): readonly Edit[] {
    const { rrset, problem } = rrsetOf(recordset, zone)
    if (problem === undefined) this.#forget(zone.id, recordset.id)
    else this.#report(zone, recordset.id, { problem })
    if (rrset === undefined) return editsWithout(recordset)
    return [{ recordsetId: recordset.id, owner: rrset.owner, type: rrset.type, rrset }]
  }

  #report(zone: Zone, id: string, { problem, error }: Omit<PublishProblem, 'zone'>): void {
    const problems = this.#problems.get(zone.id) ?? new Map<string, string>()
    this.#problems.set(zone.id, problems.set(id, problem))
    this.#options.onProblem({ zone, problem, ...(error !== undefined && { error }) })
  }

  #forget(zoneId: string, id: string): void {
    const problems = this.#problems.get(zoneId)
    problems?.delete(id)
    if (problems?.size === 0) this.#problems.delete(zoneId)
  }
}

/** Holds a staged zone until the zone's own SOA takes its place; never served. */
const placeholderSoa = {
  type: types.SOA,
  ttlSeconds: 0,
  rdatas: [parseRdata(types.SOA, '. . 0 0 0 0 0')],
}

function hasNewTtl(zone: Zone, before: Zone | undefined): boolean {
  return before !== undefined && before.ttlSeconds !== zone.ttlSeconds
}

function isInheriting({ ttlSeconds }: Recordset): boolean {
  return ttlSeconds === null
}

function isExpired({ transfer }: Zone): boolean {
  return transfer?.isExpired ?? false
}

function isReplacing({ transfer }: Zone): boolean {
  return transfer?.isReplacing ?? false
}

type ZoneChange = Extract<Change, { readonly collection: 'zones' }>
type RecordsetChanges = readonly Extract<Change, { readonly collection: 'recordsets' }>[]
/** What a commit did to a zone that goes on: how it was, where its own row changed, and its record sets. */
type ZoneCommit = {
  readonly before: Zone | undefined
  readonly recordsets: RecordsetChanges
}
type ZoneChanges = {
  zoneChange: ZoneChange | undefined
  readonly recordsets: RecordsetChanges[number][]
}

function changesByZone(changes: readonly Change[]): Map<string, ZoneChanges> {
  const byZone = new Map<string, ZoneChanges>()
  const changesOf = (zoneId: string): ZoneChanges => {
    const known = byZone.get(zoneId)
    if (known !== undefined) return known
    const fresh = { zoneChange: undefined, recordsets: [] }
    byZone.set(zoneId, fresh)
    return fresh
  }
  for (const change of changes) {
    if (change.collection === 'zones') changesOf(change.id).zoneChange = change
    if (change.collection !== 'recordsets') continue
    const zoneId = (change.after ?? change.before)?.zoneId
    if (zoneId !== undefined) changesOf(zoneId).recordsets.push(change)
  }
  return byZone
}

function editsWithout({ id, name, type: mnemonic }: Recordset): readonly Edit[] {
  const type = typeCode(mnemonic)
  if (type === undefined) return []
  try {
    return [{ recordsetId: id, owner: parseName(name), type, rrset: undefined }]
  } catch {
    // What has no readable name was never served.
    return []
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
