import { parseName } from '../dns/name.ts'
import { catalogRoleOf } from '../model/catalog.ts'
import { inheritsTtl, recordsetUnpacker } from '../model/packed-recordset.ts'
import type { Recordset } from '../model/recordset.ts'
import { expiresAtOf } from '../model/refresh.ts'
import { isComplete, isSignedHere, type Zone } from '../model/zone.ts'
import type { TargetReport } from '../model/zone-state.ts'
import type { LoggedCommit } from '../store/commit-entry.ts'
import { everything } from '../store/indexes.ts'
import type { Moment } from '../store/recovery.ts'
import type { Commit, Store } from '../store/store.ts'
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
import { changesByZone, type ZoneChanges } from './zone-changes.ts'
import { editSteps, ZoneEditor } from './zone-editor.ts'

/** A server in this process and all it answers from. */
export type Target = { readonly name: string; readonly zones: TargetZones }

export type PublisherOptions = {
  readonly store: Store
  /** Where the zones of all targets are. */
  readonly table: ZoneTable
  targetsOf(poolId: string): readonly Target[]
  readonly zoneKeys: SignedZonesOptions['zoneKeys']
  /** Signs much of a zone, elsewhere. */
  readonly signBatch: SignedZonesOptions['signBatch']
  readonly onDemandKeys?: SignedZonesOptions['onDemandKeys']
  readonly onProblem: (problem: PublishProblem) => void
  /** Called with each commit once it is served, in order. */
  readonly onPublished?: (commit: Commit) => void
  /** The last commit of the store; none when not given. */
  readonly lastMoment?: Moment
}

/** What of a table is not what is stored. */
export type Unsettled = {
  /** Zones that are served as they were, because not all of a copy is there. */
  readonly zoneIds: readonly string[]
  /** Recordsets that cannot be served, or zones, each with its zone. */
  readonly problems: readonly (readonly [zoneId: string, id: string])[]
}

/** What a commit did to a zone that goes on: how it was, where its own row changed, and its recordsets. */
type ZoneCommit = Pick<ZoneChanges, 'recordsets' | 'added'> & { readonly before: Zone | undefined }

/** Keeps what the targets serve in step with the store, and says what that is. Never throws: a row that cannot be
 *  served is reported and left out, and its zone is served without it. */
export class Publisher {
  /** Zones that are signed here. */
  readonly signed: SignedZones
  readonly #options: PublisherOptions
  readonly #reclaim: TableReclaim
  readonly #problems: PublishProblems
  readonly #edits: RecordsetEdits
  readonly #editor: ZoneEditor
  readonly #staged: StagedZones
  /** What a copy that is committed in parts changes of a zone that is served: done with its last commit. */
  readonly #held = new Map<string, StagedEdits>()
  /** Zones that are stored as a commit says and not served so yet. */
  readonly #unpublished = new Set<string>()
  /** Zones that are served, and not as they are stored: their next whole copy is published as a whole. */
  readonly #unsettled = new Set<string>()
  /** Who waits for the moment between two commits. */
  readonly #betweenCommits: (() => void)[] = []
  /** What could not be served when the table was left by the last process. */
  #problemsBefore: Unsettled['problems'] = []
  /** Commits that are served, or about to be, while not all before them are. */
  #untoldCount = 0
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

  /** Serves all that is stored, and every commit from then on. Before it resolves nothing may be committed. */
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

  /** Serves every commit from then on. */
  follow(): void {
    this.#options.store.setCommitListener(
      commit => {
        this.#untoldCount += 1
        return this.#publishCommit(commit)
      },
      commit => this.#tell(commit),
    )
  }

  /** Brings a table that another process has left up to what is stored, as far as that takes no more than the rows of
   *  zones. Before it resolves nothing may be committed.
   *  @param commits behind the table
   *  @param left when the table was left, and what `unsettled` was then
   *  @returns zones to be served by `startZones` when their recordsets are there */
  async resume(
    commits: Iterable<LoggedCommit>,
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
        else pushTo(signedEdits, zone.id, this.#edits.of(recordsetUnpacker.unpack(record), zone))
      },
      remove: (zone, served, changes) => {
        const edits = [...this.#edits.forChanges(zone, changes)]
        if (isSignedHere(zone)) pushTo(signedEdits, zone.id, edits)
        else for (const edit of edits) this.#editor.edit(zone, served, edit)
      },
    })
    const { replacedZoneIds, ...left } = await catchUp.run(commits)
    const unservedZoneIds = new Set(left.unservedZoneIds)
    for (const zone of this.#options.store.list('zones', 'signed', everything)) {
      const edits = signedEdits.get(zone.id) ?? []
      if (this.#servedOf(zone)?.isSignedOnDemand) unservedZoneIds.add(zone.id)
      else if (isSignedHere(zone) && !unservedZoneIds.has(zone.id))
        await this.signed.catchUp(zone, edits, atMicros)
    }
    for (const id of replacedZoneIds) this.#unsettled.add(id)
    this.#reclaim.begin()
    return unservedZoneIds
  }

  /** Serves zones as they are stored, instead of what is served of them. */
  async startZones(ids: Iterable<string>): Promise<void> {
    const slice = new TimeSlice()
    for (const id of ids) {
      const zone = this.#options.store.get('zones', id)
      if (zone !== undefined && !zone.isDeleting) await this.#startZone(zone, slice)
    }
  }

  /** Brings zones of which a table that was taken over was not what was stored back to that. To be called when the store
   *  is open. */
  async settle(): Promise<void> {
    const slice = new TimeSlice()
    for (const [zoneId, id] of this.#problemsBefore) {
      if (zoneId === id) this.#unsettled.add(id)
      else this.republishRecordset(zoneId, id)
      if (slice.isSpent) await slice.rest()
    }
    this.#problemsBefore = []
    for (const id of [...this.#unsettled]) {
      if (this.#zoneToServe(id) === undefined) continue
      this.#unsettled.delete(id)
      await this.republish(id)
    }
  }

  /** Does something between two commits: what is served is then what is stored behind the first of them, but for what
   *  is unsettled. */
  betweenCommits(work: (moment: Moment, unsettled: Unsettled) => void): void {
    const now = () =>
      work(this.#lastMoment, {
        zoneIds: [...new Set([...this.#held.keys(), ...this.#unsettled])],
        problems: [...this.#problems.ids, ...this.#problemsBefore],
      })
    if (this.#untoldCount > 0) this.#betweenCommits.push(now)
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
        if (slice.isSpent) await slice.rest()
      }
      this.#settle(zone)
    } catch (error) {
      this.#problems.reportThrown(zone, zone.id, error)
    }
  }

  /** What each target of the zone's pool serves of it. */
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
    if (zone.dnssec !== undefined) await this.signed.sign(zone)
    else if (this.#servedOf(zone)?.rrsetCount !== storedCount) {
      await inSlices(this.#publishStaged(zone, { before: undefined, recordsets: [], added: [] }))
    }
  }

  /** As `republish`, for one recordset; returns whether there is something of it to serve. */
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

  #tell(commit: Commit): void {
    this.#untoldCount -= 1
    this.#lastMoment = { lsn: commit.lsn, atMicros: commit.atMicros }
    this.#options.onPublished?.(commit)
    if (this.#untoldCount === 0) for (const work of this.#betweenCommits.splice(0)) work()
  }

  *#publishCommit(commit: Commit): Steps<void> {
    const byZone = changesByZone(commit)
    for (const zoneId of byZone.keys()) this.#unpublished.add(zoneId)
    for (const [zoneId, changesOfZone] of byZone) {
      yield* this.#publishZone(zoneId, changesOfZone)
      this.#unpublished.delete(zoneId)
    }
  }

  *#publishZone(zoneId: string, { zoneChange, ...changes }: ZoneChanges): Steps<void> {
    const before = zoneChange?.before
    const stored = () => this.#options.store.get('zones', zoneId)
    const after = zoneChange === undefined ? stored() : zoneChange.after
    const zone = after ?? before
    // A zone that is being deleted was withdrawn when that began; its name may be another's by now.
    const wasDeleting = zoneChange === undefined ? after?.isDeleting : before?.isDeleting
    if (zone === undefined || wasDeleting) return
    try {
      if (before !== undefined && before.poolId !== after?.poolId) this.#withdraw(before)
      if (after === undefined || after.isDeleting) this.#withdraw(zone)
      else yield* this.#publishChanges(after, { before, ...changes })
    } catch (error) {
      this.#problems.reportThrown(zone, zone.id, error)
    }
  }

  *#publishChanges(zone: Zone, changes: ZoneCommit): Steps<void> {
    const { before } = changes
    const served = this.#servedOf(zone)
    this.#problems.forget(zone.id, zone.id)
    if (zone.dnssec !== undefined) yield* this.#publishSigned(zone, changes)
    else if (before?.dnssec !== undefined) {
      this.signed.end(zone)
      yield* this.#publishStaged(zone, { before: undefined, recordsets: [], added: [] })
    } else if (served === undefined || (isComplete(zone) && this.#unsettled.delete(zone.id))) {
      this.#held.delete(zone.id)
      yield* this.#publishStaged(zone, changes)
    } else if (isReplacing(zone)) yield* this.#hold(zone, served, changes)
    else {
      if (hasNewTtl(zone, before)) {
        const { store } = this.#options
        yield* this.#apply(zone, store.packedRecordsets(zone.id), (served, record) => {
          if (inheritsTtl(record)) this.#editor.putStored(zone, served, record)
        })
      }
      const edits = this.#held.get(zone.id) ?? new StagedEdits(served, 'small')
      this.#held.delete(zone.id)
      yield* this.#stage(zone, edits, changes)
      if (served.isSigned && edits.nameCount > maxNamesOfOneMoment) {
        yield* this.#publishStaged(zone, { before: undefined, recordsets: [], added: [] })
      } else {
        // Meanwhile another may have taken its place.
        yield* this.#editor.editNames(zone, edits.inOrder(), {
          servedOf: () => this.#servedOf(zone),
          ...(served.isSigned ? { namesPerStep: maxNamesOfOneMoment + 1 } : {}),
        })
      }
    }
    const current = served && this.#servedOf(zone)
    if (current !== undefined) setState(current, zone)
  }

  /** What a commit comes to, with all that follows from another TTL of the zone. */
  *#publishSigned(zone: Zone, { before, recordsets, added }: ZoneCommit): Steps<void> {
    const edits: Edit[] = []
    if (hasNewTtl(zone, before)) {
      yield* editSteps(this.#options.store.packedRecordsets(zone.id), {
        make: record => {
          if (!inheritsTtl(record)) return
          edits.push(...this.#edits.of(recordsetUnpacker.unpack(record), zone))
        },
      })
    }
    yield* editSteps(this.#edits.forChanges(zone, recordsets, added), {
      make: edit => edits.push(edit),
    })
    yield* this.signed.publish(zone, edits)
  }

  *#publishStaged(zone: Zone, { before, recordsets, added }: ZoneCommit): Steps<void> {
    const known = this.#staged.get(zone)
    const staged = known ?? this.#staged.begin(zone)
    const { store } = this.#options
    if (known === undefined) {
      // What the commit has changed is among it.
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

  /** Stages what a commit comes to. */
  #stage(zone: Zone, edits: StagedEdits, { recordsets, added }: ZoneCommit): Steps<void> {
    return editSteps(this.#edits.forChanges(zone, recordsets, added), {
      make: edit => edits.put(edit),
    })
  }

  /** Changes a zone that is served. */
  #apply<T>(
    zone: Zone,
    items: Iterable<T>,
    make: (served: TableZone, item: T) => void,
  ): Steps<void> {
    let served: TableZone | undefined
    return editSteps(items, {
      isOver: () => {
        // Meanwhile another may have taken its place.
        served = this.#servedOf(zone)
        return served === undefined
      },
      make: item => {
        if (served !== undefined) make(served, item)
      },
    })
  }

  /** Serves what is staged of a zone, once that is all of it. */
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

  /** The zone that all targets of its pool serve; undefined where one of them does not. */
  #servedOf(zone: Zone): TableZone | undefined {
    const apex = parseName(zone.name)
    const [first, ...others] = this.#options
      .targetsOf(zone.poolId)
      .map(({ zones }) => zones.get(apex))
    return others.every(other => other?.ref === first?.ref) ? first : undefined
  }
}

/** Names of a zone that is signed elsewhere whose edits are seen together. Edits of more become a new version of the zone: in
 *  what order they can be made one behind the other, only the one who has signed them knows. */
const maxNamesOfOneMoment = 512

function pushTo(lists: Map<string, Edit[]>, key: string, edits: Iterable<Edit>): void {
  const list = lists.get(key) ?? []
  lists.set(key, list)
  for (const edit of edits) list.push(edit)
}

function hasNewTtl(zone: Zone, before: Zone | undefined): boolean {
  return before !== undefined && before.ttlSeconds !== zone.ttlSeconds
}

/** Sets what is true of a zone beside its data. */
function setState(served: TableZone, zone: Zone): void {
  served.isExpired = zone.transfer?.isExpired ?? false
  served.isPrivate = catalogRoleOf(zone) !== undefined
  served.expiresAtSeconds = Math.floor((expiresAtOf(zone) ?? 0) / 1e6)
}

function isReplacing({ transfer }: Zone): boolean {
  return transfer?.isReplacing ?? false
}
