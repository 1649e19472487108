import { LogHistory, type LogHistorySource, type PastEntry } from '../durable/log-history.ts'
import type { LogPlace, Segment } from '../durable/log-segment.ts'
import { inSlices, type Steps, TimeSlice } from '../time-slice.ts'
import { decodeCommit } from './commit-entry.ts'
import type { Commit, PastCommit, ZoneCommit } from './store.ts'
import type { Past } from './store-over.ts'
import { type ZoneCommitRow, ZoneCommits, zoneKeyOf } from './zone-commits.ts'

/** Where a commit is in the log, and how long. */
export type LoggedAt = { readonly place: LogPlace; readonly octetCount: number }

/** The commits noted of a segment. */
type SegmentCommits = {
  readonly commits: ZoneCommits
  /** The first entry that is noted; all later ones are, too. */
  from: number
  /** Notes the entries before it. */
  completing?: Promise<void> | undefined
  /** Whether entries before the noted ones are missing: older commits are not found then. */
  isCut: boolean
}

/** A piece of a file that is read anyway may have the next commit in it, if it is no farther away. */
const nearOctets = 128 * 1024

/** Reads the commits that the log has, and finds those of a zone among them. Commits that this process writes are noted as they are written; a
 *  segment that existed at its start is read when its commits are first needed. */
export class ZoneHistory implements Past {
  readonly #source: LogHistorySource
  readonly #entries: LogHistory
  readonly #segments = new Map<number, SegmentCommits>()

  constructor(source: LogHistorySource) {
    this.#source = source
    this.#entries = new LogHistory(source)
  }

  /** Appends a commit. */
  *note(commit: Commit, { place, octetCount }: LoggedAt): Steps<void> {
    const known = this.#segments.get(place.segment)
    const noted = known ?? { commits: new ZoneCommits(), from: commit.lsn, isCut: false }
    if (known === undefined) {
      this.#dropGone()
      this.#segments.set(place.segment, noted)
    }
    const { lsn, atMicros, rowChanges: changes, added } = commit
    yield* noted.commits.add({ lsn, atMicros, changes, added }, { at: place.at, octetCount })
  }

  /** All commits after one. */
  async *history(afterLsn: number): AsyncGenerator<PastCommit> {
    for await (const { number, entry } of this.#entries.read(afterLsn))
      yield decodeCommit(number, entry)
  }

  /** The commits that have changed a zone or any of its recordsets, newest first, without a gap among them. */
  zoneCommits(zoneId: string): AsyncGenerator<ZoneCommit> {
    const key = zoneKeyOf(zoneId)
    return this.#found(commits => commits.of(key))
  }

  /** The commits that have deleted a zone of a project, or of any, newest first. */
  deletions(projectId: string | undefined): AsyncGenerator<ZoneCommit> {
    return this.#found(commits => commits.deletionsOf(projectId))
  }

  /** The commits that have changed zones of a project, newest first; a commit of several zones appears once for each.
   *  @param zoneIds the project's present zones; those that it has deleted are found */
  projectCommits(projectId: string, zoneIds: Iterable<string>): AsyncGenerator<ZoneCommit> {
    const keys = new Set<number>()
    for (const id of zoneIds) keys.add(zoneKeyOf(id))
    return this.#found(commits => commits.ofProject(projectId, keys))
  }

  async *#found(
    rowsOf: (commits: ZoneCommits) => Iterable<ZoneCommitRow>,
  ): AsyncGenerator<ZoneCommit> {
    const lastLsn = this.#source.lastNumber()
    const slice = new TimeSlice()
    for (const segment of this.#source.segments().toReversed()) {
      if (slice.isSpent) await slice.yield()
      const { commits, isCut } = await this.#complete(segment)
      for (const { at, ...row } of rowsOf(commits))
        if (row.lsn <= lastLsn) yield { ...row, place: { segment: segment.first, at } }
      if (isCut) return
    }
  }

  /** Reads commits, which are in order of LSN. Dropped or damaged ones are left out. */
  async *readCommits(wanted: readonly ZoneCommit[]): AsyncGenerator<PastCommit> {
    let entries: AsyncGenerator<PastEntry> | undefined
    let entry: PastEntry | undefined
    for (const { lsn, place } of wanted) {
      if (entry === undefined || !isNear(entry.place, place)) {
        await entries?.return(undefined)
        entries = this.#entries.read(lsn - 1, place)
        entry = await nextOf(entries)
      }
      while (entry !== undefined && entries !== undefined && entry.number < lsn)
        entry = await nextOf(entries)
      if (entry?.number === lsn) yield decodeCommit(lsn, entry.entry)
    }
    await entries?.return(undefined)
  }

  /** Notes all commits of a segment and returns them. */
  async #complete(segment: Segment): Promise<SegmentCommits> {
    let known = this.#segments.get(segment.first)
    if (known === undefined) {
      const from = this.#endOf(segment)
      known = { commits: new ZoneCommits(), from, isCut: false }
      this.#segments.set(segment.first, known)
    }
    const noted = known
    if (noted.from > segment.first) {
      noted.completing ??= this.#noteBefore(noted, segment).finally(() => {
        noted.completing = undefined
      })
      await noted.completing
    }
    return noted
  }

  async #noteBefore(noted: SegmentCommits, { first }: Segment): Promise<void> {
    const { from } = noted
    let earlier = new ZoneCommits()
    let next = first
    const noteGap = (number: number): void => {
      if (number === next) return
      noted.isCut = true
      earlier = new ZoneCommits()
    }
    for await (const { number, entry, place } of this.#entries.read(first - 1)) {
      if (place.segment !== first || number >= from) break
      noteGap(number)
      next = number + 1
      const octetCount = entry.length
      await inSlices(earlier.add(decodeCommit(number, entry), { at: place.at, octetCount }))
    }
    noteGap(from)
    noted.commits.prepend(earlier)
    noted.from = first
  }

  /** The first entry after a segment. Nothing of the segment has been noted. */
  #endOf({ first }: Segment): number {
    const next = this.#source.segments().find(segment => segment.first > first)
    return next?.first ?? this.#source.lastNumber() + 1
  }

  #dropGone(): void {
    const kept = new Set(this.#source.segments().map(({ first }) => first))
    for (const first of this.#segments.keys()) if (!kept.has(first)) this.#segments.delete(first)
  }
}

async function nextOf(entries: AsyncGenerator<PastEntry>): Promise<PastEntry | undefined> {
  const { value } = await entries.next()
  return value
}

function isNear(last: LogPlace, next: LogPlace): boolean {
  return last.segment === next.segment && next.at - last.at <= nearOctets
}
