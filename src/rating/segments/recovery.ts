import { decodeBatch } from './batch.ts'
import type { Disk } from './disk.ts'
import { DamagedFileError } from './frame.ts'
import { Journal, readClosedJournal } from './journal.ts'
import { applyBatch, type Live } from './live.ts'
import type { Manifest } from './manifest.ts'
import { Memtable } from './memtable.ts'
import { RecentKeys } from './recent-keys.ts'
import { Removals } from './removals.ts'

/** The file of a generation's batches. */
export function journalName(generation: number): string {
  return `${String(generation).padStart(8, '0')}.journal`
}

/** Brings back what had not been written out: replays the journals the manifest still counts on, and goes on in
 *  the last. Those before are removed. @throws DamagedFileError one is missing or damaged */
export async function recover(disk: Disk, folder: string, manifest: Manifest): Promise<Live> {
  const { firstJournal } = manifest
  const found = (await disk.listFolder(folder)).map(name => Number.parseInt(name, 10))
  for (const number of found.filter(each => each < firstJournal)) {
    await disk.removeFile(`${folder}/${journalName(number)}`)
  }
  const numbers = found.filter(number => number >= firstJournal)
  const last = numbers.at(-1) ?? firstJournal
  // Each generation's journal is there before the manifest counts on it; only a store without a first one is new.
  if (last - firstJournal + 1 !== numbers.length && last > 1) {
    throw new DamagedFileError(`${folder} lacks a journal from ${firstJournal} to ${last}`)
  }
  const closed: Buffer[] = []
  for (const number of numbers.slice(0, -1)) {
    closed.push(...(await readClosedJournal(disk, `${folder}/${journalName(number)}`)))
  }
  const { journal, records } = await Journal.open(disk, folder, journalName(last))
  const live: Live = {
    journal,
    active: new Memtable(last),
    removals: Removals.load(manifest.removals),
    keys: new RecentKeys(manifest.keys),
  }
  for (const record of [...closed, ...records]) applyBatch(live, decodeBatch(record))
  return live
}
