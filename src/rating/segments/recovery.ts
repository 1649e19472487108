import { DamageError } from '../../durable/damage.ts'
import type { FileSystem } from '../../durable/file-system.ts'
import { Log } from '../../durable/log.ts'
import { type LogCut, readLog, tornEndOf } from '../../durable/log-recovery.ts'
import { segmentAt } from '../../durable/log-segment.ts'
import { decodeBatch } from './batch.ts'
import { applyBatch, type Live } from './live.ts'
import type { Manifest } from './manifest.ts'
import { Memtable } from './memtable.ts'
import { listLog } from './older-journal.ts'
import { RecentKeys } from './recent-keys.ts'
import { Removals } from './removals.ts'

/** The points that had not been written out, and the log that has them. */
export type Recovered = {
  readonly live: Live
  readonly log: Log
  readonly cut: LogCut | undefined
}

/** Reads back what had not been written out: the batches of the log that the manifest still needs. Changes nothing.
 *  @throws DamageError one is missing or damaged */
export async function recover(
  files: FileSystem,
  folder: string,
  manifest: Manifest,
): Promise<Recovered> {
  const { firstJournal, removals, keys } = manifest
  const segments = await listLog(files, folder, firstJournal)
  // A segment is begun before the manifest needs it; only a new store has none.
  if (firstJournal > 1 && !segments.some(({ first }) => first === firstJournal)) {
    const { path } = segmentAt(folder, firstJournal)
    throw new DamageError(path, { problem: 'it is missing' })
  }
  const live: Live = {
    active: new Memtable(firstJournal),
    removals: Removals.load(removals),
    keys: new RecentKeys(keys),
  }
  const apply = (_: number, entry: Buffer) => {
    // A batch that a repair gave up has left an empty entry.
    if (entry.length > 0) applyBatch(live, decodeBatch(entry))
  }
  const found = await readLog(files, segments, { after: firstJournal - 1, apply })
  const cut = tornEndOf(found)
  return { live, cut, log: new Log({ files, directory: folder, segments, found }) }
}
