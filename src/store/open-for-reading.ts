import { systemClock } from '../clock.ts'
import { realFiles } from '../durable/file-system.ts'
import { lockDirectory } from '../durable/lock.ts'
import { Committer } from './committer.ts'
import { type RepairOptions, readWithDefects, requireStore, type StoreDefects } from './repair.ts'
import type { Store } from './store.ts'
import { noPast, storeOver } from './store-over.ts'

/** A store as it is on the disk, with those rows that can still be read, and what is wrong with its files. */
export type StoreForReading = StoreDefects & { readonly store: Store }

/** Opens the store of a directory without changing anything in it: every commit is refused. No other process can open it before
 *  it is closed.
 *  @throws DamageError there is no store, or one of another version
 *  @throws StoreLockedError a process has it open */
export async function openStoreForReading(options: RepairOptions): Promise<StoreForReading> {
  const place = { files: realFiles, ...options }
  await requireStore(place)
  const unlock =
    place.files === realFiles ? await lockDirectory(place.directory) : async () => undefined
  try {
    const { tables, ...found } = await readWithDefects(place)
    const log = { append: async () => undefined }
    const committer = new Committer({ tables, log, clock: systemClock })
    await committer.stop('the store is open for reading only')
    const close = async () => void (await unlock())
    return { store: storeOver({ tables, committer, past: noPast, close }), ...found }
  } catch (error) {
    await unlock()
    throw error
  }
}
