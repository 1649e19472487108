import { ApiError } from '../../errors.ts'
import { type Caller, reachesProject } from '../../identity/caller.ts'
import { recordsetUnpacker } from '../../model/packed-recordset.ts'
import type { PlacedRecordset } from '../../model/recordset-run.ts'
import { isComplete, type Zone } from '../../model/zone.ts'
import { keyOf } from '../../store/indexes.ts'
import type { PastCommit, Store, ZoneCommit } from '../../store/store.ts'
import { inPieces, inSlices, type Steps } from '../../time-slice.ts'
import type { StoredZone } from '../changes/stored-runs.ts'
import { ProjectSemaphore } from '../rules/project-semaphore.ts'
import { storedZoneText } from '../zone-files/zone-text.ts'
import type { History } from './history.ts'
import {
  type Choose,
  notWhole,
  pastZone,
  readWhole,
  requireSmall,
  zoneChangeOf,
} from './past-zone.ts'
import type { Retention } from './retention.ts'
import { addChange, entryLines, type Pair, zoneIdOf } from './zone-entry.ts'

// Zones at earlier moments, and the changes between two moments, however many: a zone is assembled from the stored rows
// and the log, and sent as it is written.

/** A moment of a zone, by the last change that it includes. */
export type Moment = { readonly serial: number } | { readonly atMicros: number }

/** All changes between two moments: each recordset, by name and type, before its first change and after its last. */
type Span = {
  zone: { before: Zone; after: Zone } | undefined
  pairs: Map<string, Pair<PlacedRecordset>>
}

type PastZonesParts = {
  readonly store: Store
  readonly history: Pick<History, 'zoneOf'>
  readonly retention: Retention
}

type Between = { readonly from: Moment; readonly to: Moment | undefined }

/** What takes memory until `release` is called, which its reader must. */
export type Held<T> = { readonly value: T; readonly release: () => void }

/** Zones at earlier moments. */
export class PastZones {
  readonly #parts: PastZonesParts
  readonly #semaphore = new ProjectSemaphore(
    { maxRunning: 2, maxRunningPerKey: 1, maxWaitingPerKey: 4 },
    'Other zones of the past are being read',
  )
  /** Until their clients have read them. */
  readonly #sending = new ProjectSemaphore(
    { maxRunning: Number.POSITIVE_INFINITY, maxRunningPerKey: 8, maxWaitingPerKey: 0 },
    'Other zones of the past are being sent',
  )

  constructor(parts: PastZonesParts) {
    this.#parts = parts
  }

  /** @throws ApiError zone_not_found, forbidden; not_found it was not the caller's then, or the log does not reach back so
   *  far; bad_request its content was being written, or it takes too much of the log; too_many_requests */
  async at(caller: Caller, zoneId: string, moment: Moment): Promise<Held<StoredZone>> {
    const zone = await this.#parts.history.zoneOf(caller, zoneId)
    return this.#held(zone, () => this.#read(caller, zone, moment))
  }

  /** @throws ApiError too_many_requests, and what `read` throws */
  async #held<T>({ projectId }: Zone, read: () => Promise<T>): Promise<Held<T>> {
    const release = this.#sending.begin(projectId)
    try {
      return { value: await read(), release }
    } catch (error) {
      release()
      throw error
    }
  }

  async #read(caller: Caller, zone: Zone, moment: Moment): Promise<StoredZone> {
    const choose: Choose = async () => {
      const behind: ZoneCommit[] = []
      for await (const commit of this.#parts.retention.zoneCommits(zone)) {
        if (isUpTo(commit, moment)) break
        behind.push(commit)
      }
      return requireSmall(behind)
    }
    const past = await this.#semaphore.run(zone.projectId, () =>
      pastZone(this.#parts.store, zone.id, choose),
    )
    if (past === undefined || !reachesProject(caller, past.zone.projectId)) throw notThere()
    if (!isOf(past.zone, moment)) throw notThere()
    if (isComplete(past.zone)) return past
    throw new ApiError('bad_request', 'The content of the zone was being written then')
  }

  /** The zone file of a moment, in pieces.
   *  @throws ApiError as `at` */
  async text(caller: Caller, zoneId: string, moment: Moment): Promise<Held<AsyncIterable<string>>> {
    const { value, release } = await this.at(caller, zoneId, moment)
    return { value: storedZoneText(value), release }
  }

  /** The changes between two moments, or since one, as lines of zone files, in pieces.
   *  @throws ApiError as `at`; bad_request the second moment is not the later one */
  async difference(
    caller: Caller,
    zoneId: string,
    moments: Between,
  ): Promise<Held<AsyncIterable<string>>> {
    const zone = await this.#parts.history.zoneOf(caller, zoneId)
    return this.#held(zone, () => this.#difference(caller, zone, moments))
  }

  async #difference(
    caller: Caller,
    zone: Zone,
    { from, to }: Between,
  ): Promise<AsyncIterable<string>> {
    const commits = await this.#between(zone, { from, to })
    const span = await this.#semaphore.run(zone.projectId, () => this.#span(zone.id, commits))
    const { before = undefined, after = undefined } = span.zone ?? {}
    const owners = [before, after].map(row => row?.projectId ?? zone.projectId)
    if (!owners.every(owner => reachesProject(caller, owner))) throw notThere()
    if (before !== undefined && !isOf(before, from)) throw notThere()
    return inPieces(printed(span))
  }

  /** The commits between two moments, oldest first. */
  async #between(
    zone: Zone,
    { from, to }: { readonly from: Moment; readonly to: Moment | undefined },
  ): Promise<readonly ZoneCommit[]> {
    const commits: ZoneCommit[] = []
    let isWithin = to === undefined
    for await (const commit of this.#parts.retention.zoneCommits(zone)) {
      isWithin ||= to !== undefined && isUpTo(commit, to)
      if (isUpTo(commit, from)) {
        if (isWithin) return requireSmall(commits).toReversed()
        throw new ApiError('bad_request', 'The second moment must be later than the first')
      }
      if (isWithin) commits.push(commit)
    }
    const now = this.#parts.store.get('zones', zone.id)
    const isUnchanged = commits.length === 0 && now !== undefined && isOf(now, from)
    if (!isUnchanged && commits.length === 0) throw notThere()
    return requireSmall(commits).toReversed()
  }

  async #span(zoneId: string, commits: readonly ZoneCommit[]): Promise<Span> {
    const span: Span = { zone: undefined, pairs: new Map() }
    for await (const commit of readWhole(this.#parts.store, commits))
      await inSlices(addCommit(span, zoneId, commit))
    return span
  }
}

/** Whether a moment includes a commit, and with it all earlier ones. */
function isUpTo(commit: ZoneCommit, moment: Moment): boolean {
  return 'serial' in moment ? commit.serial === moment.serial : commit.atMicros <= moment.atMicros
}

/** Whether a zone without its later changes is the zone of a moment: the log may begin after the moment. */
function isOf(zone: Zone, moment: Moment): boolean {
  if ('serial' in moment) return zone.serial === moment.serial
  return (zone.updatedAt ?? zone.createdAt) <= moment.atMicros
}

function notThere(): ApiError {
  return new ApiError('not_found', 'The history has no such state of the zone, or not any more')
}

function* addCommit(span: Span, zoneId: string, commit: PastCommit): Steps<void> {
  const row = zoneChangeOf(commit, zoneId)
  if (row?.before !== undefined && row.after !== undefined) {
    const { before, after } = row
    const last = span.zone?.after
    if (last !== undefined && last.version !== before.version) throw notWhole()
    span.zone = { before: span.zone?.before ?? before, after }
  } else if (row?.after === undefined && row !== undefined) {
    throw new ApiError('bad_request', 'The zone was deleted in between')
  } else if (row !== undefined) {
    // The first moment is before the zone.
    throw notThere()
  }
  const own = new Map<string, Pair<PlacedRecordset>>()
  for (const change of commit.changes) {
    if (change.collection !== 'recordsets' || zoneIdOf(change) !== zoneId) continue
    const { packedBefore: before, packedAfter: after } = change
    const { name, type } = recordsetUnpacker.unpack((after ?? before) as PlacedRecordset)
    addChange(own, keyOf(name.toLowerCase(), type), { before, after })
    yield
  }
  for (const [key, { before, after }] of own) {
    const known = span.pairs.get(key)
    span.pairs.set(key, { before: known === undefined ? before : known.before, after })
    yield
  }
}

function* printed({ zone, pairs }: Span): Generator<string> {
  const entry = { before: zone?.before, after: zone?.after, recordsets: unpacked(pairs) }
  for (const line of entryLines(entry)) yield `${line}\n`
}

function* unpacked(pairs: ReadonlyMap<string, Pair<PlacedRecordset>>) {
  for (const { before, after } of pairs.values())
    yield {
      before: before && recordsetUnpacker.unpack(before),
      after: after && recordsetUnpacker.unpack(after),
    }
}
