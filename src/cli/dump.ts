import { realFiles } from '../durable/file-system.ts'
import { lockDirectory } from '../durable/lock.ts'
import { dumpLog } from '../store/dump-log.ts'
import { requireStore } from '../store/repair.ts'

// The composition root of `store dump`: what is stored, as text.

/** Gives the lines of the log of a data directory to `write`, which resolves when it takes more.
 *  @throws DamageError there is no store, or one of another version
 *  @throws StoreLockedError a process has it open */
export async function dumpData(
  directory: string,
  write: (line: string) => Promise<void>,
): Promise<void> {
  const place = { files: realFiles, directory }
  await requireStore(place)
  const unlock = await lockDirectory(directory)
  try {
    for await (const line of dumpLog(place)) await write(`${line}\n`)
  } finally {
    await unlock()
  }
}
