import type { Actor } from '../../actor.ts'
import { type Caller, reachesProject } from '../../identity/caller.ts'
import type { CollectionName } from '../../model/collections.ts'
import type { Zone } from '../../model/zone.ts'
import type { PastCommit, Store, ZoneCommit } from '../../store/store.ts'
import { inSlices } from '../../time-slice.ts'
import { getOwnZone } from '../rules/zone-access.ts'
import type { DeletedZones } from './deleted-zones.ts'
import type { Retention } from './retention.ts'
import {
  actionOf,
  changedFields,
  isChange,
  type ZoneEntry,
  zoneEntryOf,
  zoneIdsOf,
} from './zone-entry.ts'

// Who changed what, read from the log that the store keeps. A page looks at so many octets and commits at most, and says where
// the next one goes on: whoever asks for what is rare, or was long ago, asks several times.

/** What of the history is asked for. Newest first. */
export type HistoryRequest = {
  readonly limit: number
  /** Only what is older than this commit. */
  readonly beforeLsn: number | undefined
  readonly beginMicros: number
  /** Not included. */
  readonly endMicros: number
  readonly matchesActor: ((actor: Actor) => boolean) | undefined
  /** Asked of the names of recordsets, and of zones where all are looked through. */
  readonly matchesName: ((name: string) => boolean) | undefined
}

export type HistoryPage<E> = {
  readonly entries: readonly E[]
  /** `beforeLsn` of the next page; undefined where there is none. */
  readonly nextLsn: number | undefined
}

/** A commit as administrators see it. */
export type CommitEntry = {
  readonly lsn: number
  readonly atMicros: number
  readonly actor: Actor | undefined
  readonly zones: readonly ZoneEntry[]
  readonly others: readonly OtherChange[]
}

/** A change of what is neither a zone nor in one; what is in the row may be secret. */
export type OtherChange = {
  readonly collection: CollectionName
  readonly id: string
  readonly verb: 'create' | 'update' | 'delete'
}

/** A commit above this is listed and not read. */
const maxCommitOctets = 8 * 1024 * 1024
/** What is looked at for one page. */
const maxPageOctets = 16 * 1024 * 1024
const maxPageCommits = 2_000
/** Commits that are read in one go. */
const batchCommits = 100

/** What the server notes for itself. */
const ownCollections: ReadonlySet<CollectionName> = new Set([
  'webhookPlaces',
  'revokedTokens',
  'secrets',
  'scopeStates',
  'collectorStates',
])

/** The changes of zones, and of all else for administrators. */
export class History {
  readonly #store: Store
  readonly #deletedZones: Pick<DeletedZones, 'get'>
  readonly #retention: Retention

  constructor(parts: {
    readonly store: Store
    readonly deletedZones: Pick<DeletedZones, 'get'>
    readonly retention: Retention
  }) {
    this.#store = parts.store
    this.#deletedZones = parts.deletedZones
    this.#retention = parts.retention
  }

  /** Also one that is deleted.
   *  @throws ApiError zone_not_found, forbidden */
  async zoneOf(caller: Caller, zoneId: string): Promise<Zone> {
    if (this.#store.get('zones', zoneId) !== undefined)
      return getOwnZone(this.#store, caller, zoneId)
    return (await this.#deletedZones.get(caller, zoneId)).zone
  }

  /** What was done to a zone while it was the caller's.
   *  @param recordsetId only what was done to this one
   *  @throws ApiError zone_not_found, forbidden */
  async pageOfZone(
    caller: Caller,
    zoneId: string,
    request: HistoryRequest & { readonly recordsetId?: string | undefined },
  ): Promise<HistoryPage<ZoneEntry>> {
    const zone = await this.zoneOf(caller, zoneId)
    const entries: ZoneEntry[] = []
    let octetsLeft = maxPageOctets
    let commitsLeft = maxPageCommits
    let batch: ZoneCommit[] = []
    const take = async (): Promise<number | undefined> => {
      for (const entry of await this.#readBatch(batch, { zoneId, ...request })) {
        if (entries.length === request.limit) return entries.at(-1)?.lsn
        const owners = [entry.before, entry.after].map(row => row?.projectId ?? zone.projectId)
        if (!owners.some(owner => reachesProject(caller, owner))) continue
        if (await inSlices(isWanted([entry], entry.actor, request))) entries.push(entry)
      }
      batch = []
      return undefined
    }
    for await (const commit of this.#retention.zoneCommits(zone)) {
      if (commit.atMicros < request.beginMicros) break
      if (commit.lsn >= (request.beforeLsn ?? Number.POSITIVE_INFINITY)) continue
      if (commit.atMicros >= request.endMicros) continue
      const readOctets = commit.octetCount > maxCommitOctets ? 0 : commit.octetCount
      const isSpent = octetsLeft < readOctets || commitsLeft === 0
      if (isSpent || batch.length === Math.min(batchCommits, 2 * request.limit)) {
        const last = await take()
        if (last !== undefined) return { entries, nextLsn: last }
        if (isSpent) return { entries, nextLsn: commit.lsn + 1 }
      }
      octetsLeft -= readOctets
      commitsLeft -= 1
      batch.push(commit)
    }
    return { entries, nextLsn: await take() }
  }

  /** What was done to anything, for administrators. */
  async pageOfAll(request: HistoryRequest): Promise<HistoryPage<CommitEntry>> {
    const { limit, beginMicros, endMicros } = request
    const entries: CommitEntry[] = []
    let end = request.beforeLsn ?? this.#store.lastLsn + 1
    for (let left = maxPageCommits; left > 0 && end > 1; left -= batchCommits) {
      const begin = Math.max(1, end - batchCommits)
      const commits = await this.#readRange(begin, end)
      if (commits.length === 0) return { entries, nextLsn: undefined }
      for (const commit of commits.toReversed()) {
        if (commit.atMicros < beginMicros) return { entries, nextLsn: undefined }
        if (entries.length === limit) return { entries, nextLsn: entries.at(-1)?.lsn }
        const entry = commit.atMicros < endMicros && (await inSlices(commitEntryOf(commit)))
        if (entry && (await inSlices(isWanted(entry.zones, entry.actor, request, entry.others))))
          entries.push(entry)
      }
      end = begin
    }
    return { entries, nextLsn: end > 1 ? end : undefined }
  }

  /** Commits of which each is at or behind `begin` and before `end`, oldest first. */
  async #readRange(begin: number, end: number): Promise<readonly PastCommit[]> {
    const commits: PastCommit[] = []
    for await (const commit of this.#store.history(begin - 1)) {
      if (commit.lsn >= end) break
      commits.push(commit)
    }
    return commits
  }

  /** The entries of commits, in their order; without what is in them where they are too large. */
  async #readBatch(
    commits: readonly ZoneCommit[],
    { zoneId, recordsetId }: { readonly zoneId: string; readonly recordsetId?: string | undefined },
  ): Promise<readonly ZoneEntry[]> {
    const small = commits.filter(({ octetCount }) => octetCount <= maxCommitOctets)
    const read = new Map<number, ZoneEntry>()
    for await (const commit of this.#store.readCommits(small.toReversed()))
      read.set(commit.lsn, zoneEntryOf(commit, zoneId, recordsetId))
    return commits.flatMap(commit => {
      if (commit.octetCount > maxCommitOctets) return unread(commit, zoneId)
      return read.get(commit.lsn) ?? []
    })
  }
}

function unread({ lsn, atMicros }: ZoneCommit, zoneId: string): ZoneEntry {
  const nothing = { actor: undefined, before: undefined, after: undefined, recordsets: undefined }
  return { lsn, atMicros, zoneId, ...nothing }
}

function* isWanted(
  zones: readonly ZoneEntry[],
  actor: Actor | undefined,
  { matchesActor, matchesName }: HistoryRequest,
  others: readonly OtherChange[] = [],
): Generator<undefined, boolean> {
  if (!zones.some(isChange) && others.length === 0) return false
  // What is too large to be read may be anything.
  if (zones.some(({ recordsets }) => recordsets === undefined)) return true
  if (matchesActor !== undefined && !(actor && matchesActor(actor))) return false
  if (matchesName === undefined) return true
  for (const zone of zones) if (yield* isNamed(zone, matchesName)) return true
  return false
}

function* isNamed(
  entry: ZoneEntry,
  matchesName: (name: string) => boolean,
): Generator<undefined, boolean> {
  const isOfZone = actionOf(entry) !== 'update' || changedFields(entry).length > 0
  if (isOfZone && matchesName((entry.after ?? entry.before)?.name ?? '')) return true
  for (const { before, after } of entry.recordsets ?? []) {
    const row = after ?? before
    // The SOA changes with everything.
    if (row !== undefined && row.type !== 'SOA' && matchesName(row.name)) return true
    yield
  }
  return false
}

function* commitEntryOf(commit: PastCommit): Generator<undefined, CommitEntry> {
  const { lsn, atMicros, actor, changes } = commit
  const ids = yield* zoneIdsOf(commit)
  const zones = [...ids].map(id => zoneEntryOf(commit, id)).filter(isChange)
  const others: OtherChange[] = []
  for (const { collection, id, before, after } of changes) {
    if (collection === 'zones' || collection === 'recordsets') continue
    if (ownCollections.has(collection)) continue
    const verb = before === undefined ? 'create' : after === undefined ? 'delete' : 'update'
    others.push({ collection, id, verb })
  }
  return { lsn, atMicros, actor, zones, others }
}
