import { join } from 'node:path'
import type { Place } from '../durable/file-system.ts'
import type { Log } from '../durable/log.ts'
import { LogHistory, type LogHistorySource } from '../durable/log-history.ts'
import { entryOctetsOf, listSegments, type Segment } from '../durable/log-segment.ts'
import { TimeSlice } from '../time-slice.ts'
import { CommitEncoder, decodeCommit, type StoredRecordset } from './commit-entry.ts'
import type { CommitLog } from './committer.ts'
import { listOlderSegments } from './older-journal.ts'
import type { Commit, PastCommit } from './store.ts'
import type { ZoneHistory } from './zone-history.ts'

// The log of the store: an entry is a commit, and its number the LSN.

/** Where the log of a store is. */
export function logDirectory(directory: string): string {
  return join(directory, 'journal')
}

/** The segments of a store's log, oldest first, those that an earlier version wrote among them. */
export async function listLog({ files, directory }: Place): Promise<readonly Segment[]> {
  const older = await listOlderSegments(files, logDirectory(directory))
  return [...older, ...(await listSegments(files, logDirectory(directory)))]
}

/** What taking turns comes to in a log that nobody else writes. */
export const onlyWriter: Omit<CommitLog, 'append'> = {
  begin: () => undefined,
  end: () => undefined,
  follow: () => undefined,
}

/** Makes commits durable in a log that nobody else writes. Recordsets before them are copied where they are stored. */
export function commitLogOver(parts: {
  readonly log: Pick<Log, 'append'>
  readonly stored: StoredRecordset
  readonly zoneHistory: ZoneHistory
}): CommitLog {
  const { log, stored, zoneHistory } = parts
  const encoder = new CommitEncoder(stored)
  return {
    ...onlyWriter,
    async append(commits) {
      const entries = await encodeAll(commits, encoder)
      const place = await log.append(entries)
      if (place === undefined) return
      const slice = new TimeSlice()
      for (const [i, commit] of commits.entries()) {
        const octetCount = entryOctetsOf(entries[i] ?? [])
        for (const _ of zoneHistory.note(commit, { place, octetCount }))
          if (slice.isSpent) await slice.rest()
      }
    },
  }
}

/** Makes of a log what reads its commits again, by many at a time. */
export function historyOf(
  source: LogHistorySource,
): (afterLsn: number) => AsyncGenerator<PastCommit> {
  const entries = new LogHistory(source)
  return async function* (afterLsn) {
    for await (const { number, entry } of entries.read(afterLsn))
      yield decodeCommit(number, entry) as PastCommit
  }
}

async function encodeAll(
  commits: readonly Commit[],
  encoder: CommitEncoder,
): Promise<readonly (readonly Buffer[])[]> {
  const slice = new TimeSlice()
  const entries: (readonly Buffer[])[] = []
  for (const commit of commits) {
    const steps = encoder.entryOf(commit)
    let step = steps.next()
    for (; step.done !== true; step = steps.next()) if (slice.isSpent) await slice.rest()
    entries.push(step.value)
    if (slice.isSpent) await slice.rest()
  }
  return entries
}
