import { parseName } from '../dns/name.ts'
import { catalogRoleOf } from '../model/catalog.ts'
import { inheritsTtl } from '../model/packed-recordset.ts'
import type { Recordset } from '../model/recordset.ts'
import { expiresAtOf } from '../model/refresh.ts'
import { isComplete, isSignedHere, type Zone } from '../model/zone.ts'
import type { TargetReport } from '../model/zone-state.ts'
import { everything } from '../store/indexes.ts'
import type { Moment } from '../store/recovery.ts'
import type { Commit, PastCommit, Store } from '../store/store.ts'
import { inSlices, type Steps, TimeSlice } from '../time-slice.ts'
import { type Edit, StagedEdits } from '../zone/edits.ts'
import type { TableZone } from '../zone/table/table-zone.ts'
import type { TargetZones } from '../zone/table/target-zones.ts'
import type { ZoneTable } from '../zone/table/zone-table.ts'
import { CatchUp } from './catch-up.ts'
import { type PublishProblem, PublishProblems } from './publish-problems.ts'
import { RecordsetEdits } from './recordset-edits.ts'
import { SignedZones, type SignedZonesOptions } from './signed-zones.ts'
import { StagedZones } from './staged-zones.ts'
import { TableReclaim } from './table-reclaim.ts'
import { changesByZone, signedChangeOf, type ZoneChanges } from './zone-changes.ts'
import { editSteps, ZoneEditor } from './zone-editor.ts'

/** A server in this process and all it answers from. */
export type Target = { readonly name: string; readonly zones: TargetZones }

export type PublisherOptions = {
  readonly store: Store
  /** The table with the zones of all targets. */
  readonly table: ZoneTable
  targetsOf(poolId: string): readonly Target[]
  readonly zoneKeys: SignedZonesOptions['zoneKeys']
  /** Signs large parts of a zone elsewhere. */
  readonly signBatch: SignedZonesOptions['signBatch']
  readonly onDemandKeys?: SignedZonesOptions['onDemandKeys']
  readonly onProblem: (problem: PublishProblem) => void
  /** Called with each commit before any of it is served. */
  readonly onCommit?: ((commit: Commit) => void) | undefined
  /** Called with each commit once it is served, in order. */
  readonly onPublished?: (commit: Commit) => void
  /** The last commit of the store; none by default. */
  readonly lastMoment?: Moment
}

/** The parts of a table that differ from what is stored. */
export type Unsettled = {
  /** Zones that are served in their earlier state because a copy is incomplete. */
  readonly zoneIds: readonly string[]
  /** Recordsets or zones that cannot be served, each with its zone. */
  readonly problems: readonly (readonly [zoneId: string, id: string])[]
}

/** What a commit changed in a zone that continues to exist: the zone before, if its own row changed, and its recordsets. */
type ZoneCommit = Pick<ZoneChanges, 'recordsets' | 'added'> & { readonly before: Zone | undefined }
type SignedCommit = ZoneCommit & { readonly commit: Commit }
const unchanged: ZoneCommit = { before: undefined, recordsets: [], added: [] }

/** Keeps what the targets serve in step with the store, and reports it. Never throws: a row that cannot be served is reported
 *  and left out, and its zone is served without it. */
export class Publisher {
  /** Zones that are signed here. */
  readonly signed: SignedZones
  readonly #options: PublisherOptions
  readonly #reclaim: TableReclaim
  readonly #problems: PublishProblems
  readonly #edits: RecordsetEdits
  /** Reports no problems. */
  readonly #silentEdits = new RecordsetEdits(new PublishProblems(() => undefined))
  readonly #editor: ZoneEditor
  readonly #staged: StagedZones
  /** Changes to a served zone by a copy that is committed in parts: applied with the last commit of the copy. */
  readonly #held = new Map<string, StagedEdits>()
  /** Zones with a commit that is stored but not yet served. */
  readonly #unpublished = new Set<string>()
  /** Zones that are served differently from how they are stored: their next complete copy is published as a whole. */
  readonly #unsettled = new Set<string>()
  /** Callbacks waiting for the moment between two commits. */
  readonly #betweenCommits: (() => void)[] = []
  /** What could not be served when the last process left the table. */
  #problemsBefore: Unsettled['problems'] = []
  /** Number of commits that are served, or about to be, before all earlier ones are. */
  #pendingCount = 0
  #lastMoment: Moment

  constructor(options: PublisherOptions) {
    this.#options = options
    this.#lastMoment = options.lastMoment ?? { lsn: 0, atMicros: 0 }
    this.#reclaim = new TableReclaim(options.table)
    this.#problems = new PublishProblems(options.onProblem)
    this.#edits = new RecordsetEdits(this.#problems)
    this.#editor = new ZoneEditor(this.#problems, this.#edits)
    this.#staged = new StagedZones(options.table, this.#reclaim, this.#editor)
    this.signed = new SignedZones({
      ...options,
      ...{ reclaim: this.#reclaim, editor: this.#editor },
      servedOf: zone => this.#servedOf(zone),
      zoneToServe: id => this.#zoneToServe(id),
      serve: (zone, tableZone) => this.#serve(zone, tableZone),
      onFailed: (zone, error) => this.#problems.reportThrown(zone, zone.id, error),
    })
  }

  /** Serves all that is stored, and every later commit. Nothing may be committed before it resolves. */
  async start(): Promise<void> {
    const { store } = this.#options
    const slice = new TimeSlice()
    for (const index of ['all', 'abandoned'] as const) {
      for (const zone of store.list('zones', index, everything)) {
        if (!zone.isDeleting) await this.#startZone(zone, slice)
      }
    }
    this.follow()
  }

  /** Serves every later commit. */
  follow(): void {
    this.#options.store.setCommitListener(
      commit => {
        this.#pendingCount += 1
        this.#options.onCommit?.(commit)
        return this.#publishCommit(commit)
      },
      commit => this.#published(commit),
      commit => this.#prepare(commit),
    )
  }

  /** Updates a table left by another process to what is stored, as far as that needs only the rows of zones. Nothing may be
   *  committed before it resolves.
   *  @param commits after the table
   *  @param left when the table was left, and the value of `unsettled` then
   *  @returns zones to be served by `startZones` once their recordsets are loaded */
  async resume(
    commits: Iterable<PastCommit>,
    { unsettled, atMicros }: { readonly unsettled: Unsettled; readonly atMicros: number },
  ): Promise<ReadonlySet<string>> {
    for (const id of unsettled.zoneIds) this.#unsettled.add(id)
    this.#problemsBefore = unsettled.problems
    const signedEdits = new Map<string, Edit[]>()
    const catchUp = new CatchUp(this.#options.store, {
      served: zone => this.#servedOf(zone),
      withdraw: zone => this.#withdraw(zone),
      setState,
      put: (zone, served, record) => {
        if (!isSignedHere(zone)) this.#editor.putStored(zone, served, record)
        else pushTo(signedEdits, zone.id, this.#edits.ofPacked(record, zone))
      },
      remove: (zone, served, changes) => {
        const edits = [...this.#edits.forChanges(zone, changes)]
        if (isSignedHere(zone)) pushTo(signedEdits, zone.id, edits)
        else for (const edit of edits) this.#editor.edit(zone, served, edit)
      },
    })
    await catchUp.run(commits)
    const { replacedZoneIds, unservedZoneIds } = catchUp
    // Zones have no indexes yet.
    const { store, zoneKeys } = this.#options
    for (const zone of store.rows('zones')) {
      if (zone.dnssec === undefined || zone.isDeleting) continue
      const edits = signedEdits.get(zone.id) ?? []
      // The table may lack signatures of these keys, or have those of keys that are gone.
      const hasOtherKeys = isSignedHere(zone) && zoneKeys.haveChanged(zone, atMicros)
      if (hasOtherKeys || this.#servedOf(zone)?.isSignedOnDemand) unservedZoneIds.add(zone.id)
      else if (isSignedHere(zone) && !unservedZoneIds.has(zone.id))
        await this.signed.catchUp(zone, edits, atMicros)
    }
    for (const id of replacedZoneIds) this.#unsettled.add(id)
    this.#reclaim.begin()
    return unservedZoneIds
  }

  /** Serves zones as they are stored, replacing what is served of them. */
  async startZones(ids: Iterable<string>): Promise<void> {
    const slice = new TimeSlice()
    for (const id of ids) {
      const zone = this.#options.store.get('zones', id)
      if (zone !== undefined && !zone.isDeleting) await this.#startZone(zone, slice)
    }
  }

  /** Restores the zones that differed from what is stored in a table that was taken over. To be called when the store is open. */
  async settle(): Promise<void> {
    const slice = new TimeSlice()
    for (const [zoneId, id] of this.#problemsBefore) {
      if (zoneId === id) this.#unsettled.add(id)
      else this.republishRecordset(zoneId, id)
      if (slice.isSpent) await slice.yield()
    }
    this.#problemsBefore = []
    for (const id of [...this.#unsettled]) {
      if (this.#zoneToServe(id) === undefined) continue
      this.#unsettled.delete(id)
      await this.republish(id)
    }
  }

  /** Calls `work` between two commits: what is served is then what is stored after the first of them, except for what is unsettled. */
  betweenCommits(work: (moment: Moment, unsettled: Unsettled) => void): void {
    const now = () =>
      work(this.#lastMoment, {
        zoneIds: [...new Set([...this.#held.keys(), ...this.#unsettled])],
        problems: [...this.#problems.ids, ...this.#problemsBefore],
      })
    if (this.#pendingCount > 0) this.#betweenCommits.push(now)
    else now()
  }

  async #startZone(zone: Zone, slice: TimeSlice): Promise<void> {
    if (isSignedHere(zone)) {
      await this.signed.start(zone)
      if (this.#servedOf(zone) !== undefined) return
    }
    try {
      const staged = this.#staged.begin(zone)
      for (const record of this.#options.store.packedRecordsets(zone.id)) {
        this.#staged.put(zone, staged, record)
        if (slice.isSpent) await slice.yield()
      }
      this.#settle(zone)
    } catch (error) {
      this.#problems.reportThrown(zone, zone.id, error)
    }
  }

  /** Reports what each target of the zone's pool serves of it. */
  reportsOf(zone: Zone): readonly TargetReport[] {
    const problem = this.#problems.firstOf(zone.id)
    const apex = parseName(zone.name)
    return this.#options
      .targetsOf(zone.poolId)
      .map(({ name, zones }) => ({ target: name, serial: zones.get(apex)?.serial, problem }))
  }

  /** Why a recordset is not, or not wholly, served; undefined while it is. */
  problemOf({ zoneId, id }: Recordset): string | undefined {
    return this.#problems.get(zoneId, id)
  }

  /** Whether a commit that changes much of a zone is only in part served so far. */
  isPublishing(zoneId: string): boolean {
    return this.#unpublished.has(zoneId)
  }

  /** Restores what the targets serve of a zone to what is stored, whatever they serve now, while changes continue. Does nothing
   *  for a zone that is not to be served, or not yet. */
  async republish(zoneId: string): Promise<void> {
    const { store } = this.#options
    const slice = new TimeSlice()
    let unservedCount = 0
    for (const { id } of store.list('recordsets', 'byZone', zoneId)) {
      if (!this.republishRecordset(zoneId, id)) unservedCount += 1
      if (slice.isSpent) await slice.yield()
    }
    const zone = this.#zoneToServe(zoneId)
    if (zone === undefined) return
    const storedCount = store.count('recordsets', 'byZone', zoneId) - unservedCount
    // RRsets that are served but not stored are found by counting, and are rare enough for a simple remedy.
    if (zone.dnssec !== undefined) await this.signed.sign(zone)
    else if (this.#servedOf(zone)?.rrsetCount !== storedCount) {
      await inSlices(this.#publishStaged(zone))
    }
  }

  /** As `republish`, for one recordset; returns whether any of it can be served. */
  republishRecordset(zoneId: string, id: string): boolean {
    const zone = this.#zoneToServe(zoneId)
    const recordset = this.#options.store.get('recordsets', id)
    if (zone === undefined || recordset === undefined) return false
    const served = this.#servedOf(zone)
    const edits = this.#edits.of(recordset, zone)
    if (served !== undefined && zone.dnssec === undefined)
      for (const edit of edits) this.#editor.edit(zone, served, edit)
    return edits.some(({ rrset }) => rrset !== undefined)
  }

  #zoneToServe(id: string): Zone | undefined {
    const zone = this.#options.store.get('zones', id)
    return zone === undefined || zone.isDeleting || !isComplete(zone) ? undefined : zone
  }

  #published(commit: Commit): void {
    this.#pendingCount -= 1
    this.#lastMoment = { lsn: commit.lsn, atMicros: commit.atMicros }
    this.#options.onPublished?.(commit)
    if (this.#pendingCount === 0) for (const work of this.#betweenCommits.splice(0)) work()
  }

  /** Prepares a small change of a signed zone. A failure of it is reported when the change is published. */
  #prepare(commit: Commit): void {
    const change = signedChangeOf(commit)
    if (change === undefined) return
    try {
      const edits = [...this.#silentEdits.forChanges(change.zone, change.recordsets)]
      this.signed.prepare(change.zone, edits, commit)
    } catch {
      // Then nothing is prepared.
    }
  }

  *#publishCommit(commit: Commit): Steps<void> {
    const byZone = changesByZone(commit)
    for (const zoneId of byZone.keys()) this.#unpublished.add(zoneId)
    for (const [zoneId, changesOfZone] of byZone) {
      yield* this.#publishZone(zoneId, changesOfZone, commit)
      this.#unpublished.delete(zoneId)
    }
  }

  *#publishZone(
    zoneId: string,
    { zoneChange, ...changes }: ZoneChanges,
    commit: Commit,
  ): Steps<void> {
    const before = zoneChange?.before
    const stored = () => this.#options.store.get('zones', zoneId)
    const after = zoneChange === undefined ? stored() : zoneChange.after
    const zone = after ?? before
    // A zone being deleted was withdrawn when the deletion began; another zone may have its name by now.
    const wasDeleting = zoneChange === undefined ? after?.isDeleting : before?.isDeleting
    if (zone === undefined || wasDeleting) return
    try {
      if (before !== undefined && before.poolId !== after?.poolId) this.#withdraw(before)
      if (after === undefined || after.isDeleting) this.#withdraw(zone)
      else yield* this.#publishChanges(after, { before, commit, ...changes })
    } catch (error) {
      this.#problems.reportThrown(zone, zone.id, error)
    }
  }

  *#publishChanges(zone: Zone, changes: SignedCommit): Steps<void> {
    const { before } = changes
    const served = this.#servedOf(zone)
    this.#problems.forget(zone.id, zone.id)
    if (zone.dnssec !== undefined) yield* this.#publishSigned(zone, changes)
    else if (before?.dnssec !== undefined) {
      this.signed.end(zone)
      yield* this.#publishStaged(zone)
    } else if (served === undefined || (isComplete(zone) && this.#unsettled.delete(zone.id))) {
      this.#held.delete(zone.id)
      yield* this.#publishStaged(zone, changes)
    } else if (isReplacing(zone)) yield* this.#hold(zone, served, changes)
    else {
      if (hasNewTtl(zone, before)) yield* this.#putInheriting(zone)
      const edits = this.#held.get(zone.id) ?? new StagedEdits(served, 'small')
      this.#held.delete(zone.id)
      yield* this.#stage(zone, edits, changes)
      if (served.isSigned && edits.nameCount > maxNamesOfOneMoment) {
        yield* this.#publishStaged(zone)
      } else {
        // Meanwhile another may have taken its place.
        yield* this.#editor.editNames(zone, edits.inOrder(), {
          servedOf: () => this.#servedOf(zone),
          ...(served.isSigned && { namesPerStep: Infinity }),
        })
      }
    }
    const current = served && this.#servedOf(zone)
    if (current !== undefined) setState(current, zone)
  }

  /** Publishes a commit, with all that follows from a changed TTL of the zone. */
  *#publishSigned(zone: Zone, { before, recordsets, added, commit }: SignedCommit): Steps<void> {
    const edits: Edit[] = []
    if (hasNewTtl(zone, before)) {
      yield* editSteps(this.#options.store.packedRecordsets(zone.id), {
        make: record => {
          if (!inheritsTtl(record)) return
          edits.push(...this.#edits.ofPacked(record, zone))
        },
      })
    }
    yield* editSteps(this.#edits.forChanges(zone, recordsets, added), {
      make: edit => edits.push(edit),
    })
    yield* this.signed.publish(zone, edits, commit)
  }

  *#publishStaged(zone: Zone, { before, recordsets, added }: ZoneCommit = unchanged): Steps<void> {
    const known = this.#staged.get(zone)
    const staged = known ?? this.#staged.begin(zone)
    const { store } = this.#options
    if (known === undefined) {
      // These include the commit's changes.
      yield* this.#staged.fill(zone, staged, store.packedRecordsets(zone.id))
    } else {
      if (hasNewTtl(zone, before)) {
        yield* this.#staged.fill(zone, staged, store.packedRecordsets(zone.id), inheritsTtl)
      }
      yield* this.#staged.edit(zone, staged, this.#edits.forChanges(zone, recordsets))
      for (const run of added) yield* this.#staged.fillRun(zone, staged, run)
    }
    this.#settle(zone)
  }

  #hold(zone: Zone, served: TableZone, changes: ZoneCommit): Steps<void> {
    const held = this.#held.get(zone.id) ?? new StagedEdits(served, 'large')
    this.#held.set(zone.id, held)
    return this.#stage(zone, held, changes)
  }

  /** Stages the changes of a commit. */
  #stage(zone: Zone, edits: StagedEdits, { recordsets, added }: ZoneCommit): Steps<void> {
    return editSteps(this.#edits.forChanges(zone, recordsets, added), {
      make: edit => edits.put(edit),
    })
  }

  /** Puts the recordsets without a TTL of their own again. */
  #putInheriting(zone: Zone): Steps<void> {
    let served: TableZone | undefined
    return editSteps(this.#options.store.packedRecordsets(zone.id), {
      isOver: () => {
        // Meanwhile another may have taken its place.
        served = this.#servedOf(zone)
        return served === undefined
      },
      make: record => {
        if (served !== undefined && inheritsTtl(record))
          this.#editor.putStored(zone, served, record)
      },
    })
  }

  /** Serves the staged zone once it is complete. */
  #settle(zone: Zone): void {
    const staged = this.#staged.get(zone)
    if (staged === undefined || !isComplete(zone)) return
    const { tableZone, hasSoa } = staged
    if (!hasSoa) this.#problems.report(zone, zone.id, { problem: 'there is no SOA to serve' })
    else this.#serve(zone, tableZone)
    this.#staged.end(zone)
  }

  #serve(zone: Zone, tableZone: TableZone): void {
    setState(tableZone, zone)
    for (const { zones } of this.#options.targetsOf(zone.poolId)) zones.publish(tableZone)
  }

  #withdraw(zone: Zone): void {
    const apex = parseName(zone.name)
    for (const { zones } of this.#options.targetsOf(zone.poolId)) zones.withdraw(apex)
    this.#staged.end(zone)
    this.signed.end(zone)
    this.#held.delete(zone.id)
    this.#unsettled.delete(zone.id)
    this.#problems.forgetZone(zone.id)
    this.#reclaim.begin()
  }

  /** The zone that all targets of its pool serve; undefined if one of them does not serve it. */
  #servedOf(zone: Zone): TableZone | undefined {
    const apex = parseName(zone.name)
    const [first, ...others] = this.#options
      .targetsOf(zone.poolId)
      .map(({ zones }) => zones.get(apex))
    return others.every(other => other?.ref === first?.ref) ? first : undefined
  }
}

/** Names of a zone signed elsewhere whose edits become visible together. Edits of more names become a new version of the zone:
 *  only its signer knows in which order they could be made one after the other. */
const maxNamesOfOneMoment = 512

function pushTo(lists: Map<string, Edit[]>, key: string, edits: Iterable<Edit>): void {
  const list = lists.get(key) ?? []
  lists.set(key, list)
  for (const edit of edits) list.push(edit)
}

function hasNewTtl(zone: Zone, before: Zone | undefined): boolean {
  return before !== undefined && before.ttlSeconds !== zone.ttlSeconds
}

/** Sets the state of a zone other than its data. */
function setState(served: TableZone, zone: Zone): void {
  served.isExpired = zone.transfer?.isExpired ?? false
  served.isPrivate = catalogRoleOf(zone) !== undefined
  served.expiresAtSeconds = Math.floor((expiresAtOf(zone) ?? 0) / 1e6)
}

function isReplacing({ transfer }: Zone): boolean {
  return transfer?.isReplacing ?? false
}
