import type { Actor } from '../../actor.ts'
import { type Caller, isAdmin, reachesProject } from '../../identity/caller.ts'
import type { CollectionName } from '../../model/collections.ts'
import type { Zone } from '../../model/zone.ts'
import type { PastCommit, Store, ZoneCommit } from '../../store/store.ts'
import { inSlices } from '../../time-slice.ts'
import { ProjectSemaphore } from '../rules/project-semaphore.ts'
import { getOwnZone } from '../rules/zone-access.ts'
import {
  batchCommits,
  type CommitPage,
  type CommitRange,
  commitPage,
  maxPageCommits,
} from './commit-page.ts'
import type { DeletedZones } from './deleted-zones.ts'
import type { Retention } from './retention.ts'
import {
  actionOf,
  changedFields,
  isChange,
  isInZone,
  type ZoneEntry,
  zoneEntryOf,
  zoneIdsOf,
} from './zone-entry.ts'

// Who changed what, read from the log that the store keeps. A page reads a bounded number of octets and commits, and
// returns where the next one continues: a client that searches for rare or old changes makes several requests.

/** The requested part of the history. */
export type HistoryRequest = CommitRange & {
  readonly matchesActor: ((actor: Actor) => boolean) | undefined
  /** Applied to the names of recordsets, and of zones where all zones are searched. */
  readonly matchesName: ((name: string) => boolean) | undefined
}

/** A commit with everything that the reader sees of it; without changes where it is too large to be read. */
export type CommitEntry = {
  readonly lsn: number
  readonly atMicros: number
  readonly actor: Actor | undefined
  readonly zones: readonly ZoneEntry[]
  readonly others: readonly OtherChange[]
}

/** A change of a row that is neither a zone nor in one, without the row, which may be secret. */
type OtherChange = {
  readonly collection: CollectionName
  readonly id: string
  readonly verb: 'create' | 'update' | 'delete'
}

/** A larger commit is listed and not read. */
const maxCommitOctets = 8 * 1024 * 1024

/** The server's own state. */
export const ownCollections: ReadonlySet<CollectionName> = new Set([
  'webhookPlaces',
  'revokedTokens',
  'secrets',
  'scopeStates',
  'collectorStates',
])

type HistoryParts = {
  readonly store: Store
  readonly deletedZones: Pick<DeletedZones, 'get'>
  readonly retention: Retention
}

/** The changes of zones and, for administrators, of everything else. */
export class History {
  readonly #parts: HistoryParts
  readonly #semaphore = new ProjectSemaphore(
    { maxRunning: 2, maxRunningPerKey: 1, maxWaitingPerKey: 4 },
    'Other pages of the history are being read',
  )

  constructor(parts: HistoryParts) {
    this.#parts = parts
  }

  /** A zone, which may be deleted.
   *  @throws ApiError zone_not_found, forbidden */
  async zoneOf(caller: Caller, zoneId: string): Promise<Zone> {
    if (this.#parts.store.get('zones', zoneId) !== undefined)
      return getOwnZone(this.#parts.store, caller, zoneId)
    return (await this.#parts.deletedZones.get(caller, zoneId)).zone
  }

  /** The changes of a zone while it was the caller's.
   *  @param recordsetId only the changes of this recordset
   *  @throws ApiError zone_not_found, forbidden */
  async pageOfZone(
    caller: Caller,
    zoneId: string,
    request: HistoryRequest & { readonly recordsetId?: string | undefined },
  ): Promise<CommitPage<ZoneEntry>> {
    const zone = await this.zoneOf(caller, zoneId)
    const isOwn = (entry: ZoneEntry) => isOf(caller, entry, zone.projectId)
    return commitPage(
      this.#parts.retention.zoneCommits(zone),
      { ...request, octetsOf },
      async batch => {
        const found = await this.#readBatch(batch, {
          unread: commit => unread(commit, zoneId),
          entryOf: commit => zoneEntryOf(commit, zoneId, request.recordsetId),
        })
        return filtered(found.filter(isOwn), entry => isWanted([entry], entry.actor, request))
      },
    )
  }

  /** The changes of the zones of the caller's project while it owned them; for administrators, all changes.
   *  @throws ApiError too_many_requests */
  async pageOfAll(caller: Caller, request: HistoryRequest): Promise<CommitPage<CommitEntry>> {
    if (isAdmin(caller)) return this.#pageOfServer(request)
    const { projectId } = caller
    return this.#semaphore.run(projectId, () => this.#pageOfProject(caller, request))
  }

  #pageOfProject(caller: Caller, request: HistoryRequest): Promise<CommitPage<CommitEntry>> {
    const ownerOf = ({ zoneId }: ZoneEntry) =>
      this.#parts.store.get('zones', zoneId)?.projectId ?? null
    const commits = this.#parts.retention.projectCommits(caller.projectId)
    return commitPage(commits, { ...request, octetsOf }, async batch => {
      const found = await this.#readBatch<CommitEntry | PastCommit>(batch, {
        unread: ({ lsn, atMicros }) => ({ lsn, atMicros, actor: undefined, zones: [], others: [] }),
        entryOf: commit => commit,
      })
      const entries: CommitEntry[] = []
      for (const commit of found) {
        // Too large to be read, so it may contain anything.
        if (!('changes' in commit)) entries.push(commit)
        else {
          const entry = await inSlices(commitEntryOf(commit))
          const zones = entry.zones.filter(zone => isOf(caller, zone, ownerOf(zone)))
          if (await inSlices(isWanted(zones, entry.actor, request)))
            entries.push({ ...entry, zones, others: [] })
        }
      }
      return entries
    })
  }

  async #pageOfServer(request: HistoryRequest): Promise<CommitPage<CommitEntry>> {
    const { limit, beginMicros, endMicros } = request
    const entries: CommitEntry[] = []
    let end = request.beforeLsn ?? this.#parts.store.lastLsn + 1
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

  /** The commits from `begin` on and before `end`, oldest first. */
  async #readRange(begin: number, end: number): Promise<readonly PastCommit[]> {
    const commits: PastCommit[] = []
    for await (const commit of this.#parts.store.history(begin - 1)) {
      if (commit.lsn >= end) break
      commits.push(commit)
    }
    return commits
  }

  /** The entries of commits, in their order; without content for commits that are too large. */
  async #readBatch<E>(
    commits: readonly ZoneCommit[],
    reading: {
      readonly unread: (commit: ZoneCommit) => E
      readonly entryOf: (commit: PastCommit) => E
    },
  ): Promise<readonly E[]> {
    const small = commits.filter(({ octetCount }) => octetCount <= maxCommitOctets)
    const read = new Map<number, E>()
    for await (const commit of this.#parts.store.readCommits(small.toReversed()))
      read.set(commit.lsn, reading.entryOf(commit))
    return commits.flatMap(commit => {
      if (commit.octetCount > maxCommitOctets) return reading.unread(commit)
      return read.get(commit.lsn) ?? []
    })
  }
}

/** Whether a zone was the caller's before a commit or after it.
 *  @param owner the zone's project where the commit does not say */
function isOf(caller: Caller, { before, after }: ZoneEntry, owner: string | null): boolean {
  return [before, after].some(row => reachesProject(caller, row?.projectId ?? owner))
}

async function filtered<E>(
  entries: readonly E[],
  isKept: (entry: E) => Generator<undefined, boolean>,
): Promise<readonly E[]> {
  const kept: E[] = []
  for (const entry of entries) if (await inSlices(isKept(entry))) kept.push(entry)
  return kept
}

/** Octets that are read of a commit. */
function octetsOf({ octetCount }: ZoneCommit): number {
  return octetCount > maxCommitOctets ? 0 : octetCount
}

function unread({ lsn, atMicros }: ZoneCommit, zoneId: string): ZoneEntry {
  const nothing = { actor: undefined, before: undefined, after: undefined, recordsets: undefined }
  return { lsn, atMicros, zoneId, ...nothing, shares: [] }
}

function* isWanted(
  zones: readonly ZoneEntry[],
  actor: Actor | undefined,
  { matchesActor, matchesName }: HistoryRequest,
  others: readonly OtherChange[] = [],
): Generator<undefined, boolean> {
  if (!zones.some(isChange) && others.length === 0) return false
  // A commit that is too large to be read may contain anything.
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
    // The SOA changes with every change.
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
    if (collection === 'zones' || isInZone({ collection })) continue
    if (ownCollections.has(collection)) continue
    const verb = before === undefined ? 'create' : after === undefined ? 'delete' : 'update'
    others.push({ collection, id, verb })
  }
  return { lsn, atMicros, actor, zones, others }
}
