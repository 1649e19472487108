import { join } from 'node:path'
import type { Place } from '../durable/file-system.ts'
import type { Log } from '../durable/log.ts'
import type { Meanwhile } from '../durable/log-file.ts'
import { LogHistory, type LogHistorySource, type PastEntry } from '../durable/log-history.ts'
import { entryOctetsOf, listSegments, type Segment } from '../durable/log-segment.ts'
import { TimeSlice } from '../time-slice.ts'
import { CommitEncoder, type StoredRecordset } from './commit-entry.ts'
import type { CommitLog } from './committer.ts'
import { listOlderSegments } from './older-journal.ts'
import type { Commit } from './store.ts'
import type { ZoneHistory } from './zone-history.ts'

// The log of the store: an entry is a commit, and its number the LSN.

/** Where the log of a store is. */
export function logDirectory(directory: string): string {
  return join(directory, 'journal')
}

/** The segments of a store's log, oldest first, including those that an earlier version wrote. */
export async function listLog({ files, directory }: Place): Promise<readonly Segment[]> {
  const older = await listOlderSegments(files, logDirectory(directory))
  return [...older, ...(await listSegments(files, logDirectory(directory)))]
}

/** The log in a directory, an entry a commit. */
export type LocalLog = {
  encode(commits: readonly Commit[]): Promise<readonly (readonly Buffer[])[]>
  /** Makes commits durable, each given as the pieces of its entry; all of them or none. */
  write(
    commits: readonly Commit[],
    entries: readonly (readonly Buffer[])[],
    meanwhile?: Meanwhile,
  ): Promise<void>
  /** Reads back the entries after a number. */
  read(afterLsn: number): AsyncIterable<PastEntry>
}

/** Adapts a log to the writing of commits. The previous state of a recordset is copied from where it is stored. */
export function localLogOver(parts: {
  readonly log: Pick<Log, 'append'>
  readonly source: LogHistorySource
  readonly stored: StoredRecordset
  readonly zoneHistory: ZoneHistory
}): LocalLog {
  const { log, source, stored, zoneHistory } = parts
  const encoder = new CommitEncoder(stored)
  return {
    encode: commits => encodeAll(commits, encoder),
    read: afterLsn => new LogHistory(source).read(afterLsn),
    async write(commits, entries, meanwhile) {
      const place = await log.append(entries, meanwhile)
      if (place === undefined) return
      const slice = new TimeSlice()
      for (const [i, commit] of commits.entries()) {
        const octetCount = entryOctetsOf(entries[i] ?? [])
        for (const _ of zoneHistory.note(commit, { place, octetCount }))
          if (slice.isSpent) await slice.yield()
      }
    },
  }
}

/** Makes commits durable in a log with a single writer. */
export function commitLogOver(local: Pick<LocalLog, 'encode' | 'write'>): CommitLog {
  return {
    append: async (commits, meanwhile) =>
      local.write(commits, await local.encode(commits), meanwhile),
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
    for (; step.done !== true; step = steps.next()) if (slice.isSpent) await slice.yield()
    entries.push(step.value)
    if (slice.isSpent) await slice.yield()
  }
  return entries
}
