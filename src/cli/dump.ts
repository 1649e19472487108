import { ConfigError } from '../config/config-error.ts'
import { DamageError } from '../durable/damage.ts'
import { type Place, realFiles } from '../durable/file-system.ts'
import { lockDirectory } from '../durable/lock.ts'
import { withFinalDot } from '../model/zone-name.ts'
import { zoneText } from '../service/zone-files/zone-text.ts'
import { dumpLog } from '../store/dump-log.ts'
import { openStoreForReading } from '../store/open-for-reading.ts'
import { requireStore } from '../store/repair.ts'
import type { Store } from '../store/store.ts'
import { collectionNames } from '../store/tables.ts'

// The composition root of `store dump`: what is stored, as text.

/** Passes stored data to `write`, which resolves when it accepts more: for a collection, a line of JSON per row; for the log,
 *  one per commit; for a zone, by its name or id, a zone file.
 *  @throws ConfigError there is no such collection or zone
 *  @throws DamageError there is no store, or one of another version; or, after everything readable was written, something cannot be read
 *  @throws StoreLockedError a process has it open */
export async function dumpData(
  { directory, what }: { readonly directory: string; readonly what: string },
  write: (text: string) => Promise<void>,
): Promise<void> {
  if (what === 'log') return dumpLogOf({ files: realFiles, directory }, write)
  const { store, defects } = await openStoreForReading({ directory })
  try {
    for await (const text of textOf(store, what)) await write(text)
  } finally {
    await store.close()
  }
  const [defect] = defects
  if (defect !== undefined) throw new DamageError(defect.file, defect)
}

async function dumpLogOf(place: Place, write: (text: string) => Promise<void>): Promise<void> {
  await requireStore(place)
  const unlock = await lockDirectory(place.directory)
  try {
    for await (const line of dumpLog(place)) await write(`${line}\n`)
  } finally {
    await unlock()
  }
}

async function* textOf(store: Store, what: string): AsyncGenerator<string> {
  const collection = collectionNames.find(name => name === what)
  if (collection !== undefined) {
    for (const row of store.rows(collection)) yield `${JSON.stringify(row)}\n`
    return
  }
  const zones = zoneIdsOf(store, what)
  if (zones.length === 0) {
    const names = collectionNames.join(', ')
    throw new ConfigError(`"${what}" is no zone, and none of these collections: ${names}`)
  }
  for (const id of zones) yield* await zoneText(store, id)
}

/** Zones of one name may be in several pools. */
function zoneIdsOf(store: Store, what: string): readonly string[] {
  if (store.get('zones', what) !== undefined) return [what]
  const zones = store.list('zones', 'byLowerName', withFinalDot(what.toLowerCase()))
  return Array.from(zones, ({ id }) => id)
}
