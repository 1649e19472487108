import { DamageError } from '../../durable/damage.ts'
import type { FileSystem } from '../../durable/file-system.ts'
import { decodeBatch } from './batch.ts'
import { Journal, readClosedJournal, readJournal } from './journal.ts'
import { applyBatch, type Live } from './live.ts'
import type { Manifest } from './manifest.ts'
import { Memtable } from './memtable.ts'
import { RecentKeys } from './recent-keys.ts'
import { Removals } from './removals.ts'

/** The file of a generation's batches. */
export function journalName(generation: number): string {
  return `${String(generation).padStart(8, '0')}.journal`
}

/** What had not been written out. */
export type Recovered = {
  readonly live: Live
  /** Readies the last journal to be gone on with, and removes those that the manifest no longer counts on. Can be done
   *  again after a failure. */
  readonly openJournal: () => Promise<Journal>
}

/** Brings back what had not been written out, from the journals the manifest still counts on. Changes nothing.
 *  @throws DamageError one is missing or damaged */
export async function recover(
  files: FileSystem,
  folder: string,
  { firstJournal, removals, keys }: Manifest,
): Promise<Recovered> {
  const numbers = await numbersIn(files, folder)
  const needed = numbers.filter(number => number >= firstJournal)
  const last = needed.at(-1) ?? firstJournal
  // Each generation's journal is there before the manifest counts on it; only a store without a first one is new.
  if (last - firstJournal + 1 !== needed.length && last > 1) {
    throw new DamageError(folder, { problem: `it lacks a journal from ${firstJournal} to ${last}` })
  }
  const pathOf = (number: number) => `${folder}/${journalName(number)}`
  const closed: Buffer[] = []
  for (const number of needed.slice(0, -1))
    closed.push(...(await readClosedJournal(files, pathOf(number))))
  const { records, lengthOctets } = await readJournal(files, pathOf(last))
  const live: Live = {
    active: new Memtable(last),
    removals: Removals.load(removals),
    keys: new RecentKeys(keys),
  }
  for (const record of [...closed, ...records]) applyBatch(live, decodeBatch(record))
  const openJournal = async () => {
    for (const number of await numbersIn(files, folder))
      if (number < firstJournal) await files.remove(pathOf(number))
    return Journal.open(files, pathOf(last), lengthOctets)
  }
  return { live, openJournal }
}

/** The generations that have a journal, oldest first. */
export async function numbersIn(files: FileSystem, folder: string): Promise<readonly number[]> {
  const names = await files.list(folder)
  return names.flatMap(name => /^(\d+)\.journal$/.exec(name)?.[1] ?? []).map(Number)
}
