import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import { realFiles } from '../durable/file-system.ts'
import type { Logger } from '../log.ts'
import { storeStamp } from '../store/stamp.ts'
import type { Store } from '../store/store.ts'
import { FrozenTable } from '../zone/table/frozen-table.ts'
import type { Target } from '../zone/table/readers.ts'
import type { ZoneTable } from '../zone/table/zone-table.ts'
import {
  readTableSnapshot,
  removeTableSnapshot,
  UnfinishedTableSnapshot,
} from './table-snapshot-file.ts'

/** A snapshot of the last process's table, to answer from until this one's is built. */
export type TableSnapshot = { readonly table: FrozenTable; readonly zones: Target }

export type TableSnapshotOptions = {
  readonly dataDir: string
  readonly clock: Clock
  readonly logger: Logger
}

/** With less to load a start takes no time. */
const minOctets = 2 ** 20
/** A stop has several seconds in all, and other things to do. */
const maxMillis = 2_000
/** After longer a SECONDARY zone may have expired, and nobody waits for this server any more. */
const maxAgeMillis = 600_000

/** Finds the snapshot that the last process left, if the store has not changed since and the snapshot is recent. It can
 *  be used once. Never throws: without a snapshot a start takes longer, and that is all. */
export async function findTableSnapshot({
  dataDir,
  clock,
  logger,
}: TableSnapshotOptions): Promise<TableSnapshot | undefined> {
  try {
    const path = snapshotPath(dataDir)
    const present = await storeStamp({ files: realFiles, directory: dataDir })
    const now = clock.nowMillis()
    const found = await readTableSnapshot(path, ({ stamp, atMillis }) => {
      const isRecent = atMillis <= now && now - atMillis <= maxAgeMillis
      return stamp === present && isRecent
    })
    await removeTableSnapshot(path)
    if (found === undefined) return undefined
    return { table: new FrozenTable(found.memory), zones: { ref: found.target } }
  } catch (err) {
    logger.warn({ err }, 'answers wait for the store: what was answered from last cannot be read')
    return undefined
  }
}

/** The table that is answered from, and the store it is made of. */
type Served = { readonly store: Pick<Store, 'lastLsn'> } & {
  readonly table: Pick<ZoneTable, 'image'>
  readonly zones: Target
}

/** Writes a snapshot of this process's table for the next one, in two steps: the memory while the store is open, and the
 *  head, without which it is not used, when the store is closed and has not changed meanwhile. */
export class TableSnapshotWriter {
  readonly #options: TableSnapshotOptions
  #served: Served | undefined
  #written: { readonly file: UnfinishedTableSnapshot; readonly lsn: number } | undefined

  constructor(options: TableSnapshotOptions) {
    this.#options = options
  }

  /** To be called when the start is over: a start that fails leaves no snapshot. */
  begin(served: Served): void {
    this.#served = served
  }

  /** To be called when nobody changes zones any more; queries may still be answered. Never rejects. */
  async write(): Promise<void> {
    const served = this.#served
    if (served === undefined) return
    await this.#attempt(async () => {
      const path = snapshotPath(this.#options.dataDir)
      await removeTableSnapshot(path)
      const { image } = served.table
      if (image.length < minOctets) return
      const { lastLsn: lsn } = served.store
      this.#written = { file: new UnfinishedTableSnapshot(path, image, { maxMillis }), lsn }
    })
  }

  /** To be called when the store is closed. Never rejects. */
  async finish(): Promise<void> {
    const [written, served] = [this.#written, this.#served]
    this.#written = undefined
    if (written === undefined || served === undefined) return
    await this.#attempt(async () => {
      const { dataDir, clock } = this.#options
      const stamp = await storeStamp({ files: realFiles, directory: dataDir })
      const hasChanged = served.store.lastLsn !== written.lsn
      if (stamp === undefined || hasChanged) written.file.discard()
      else written.file.finish({ target: served.zones.ref, stamp, atMillis: clock.nowMillis() })
    })
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (err) {
      const text = 'the next start will answer only once it has loaded all zones'
      this.#options.logger.warn({ err }, text)
    }
  }
}

function snapshotPath(dataDir: string): string {
  // The name of version 0.1, whose snapshots a start still finds.
  return join(dataDir, 'stand-in.table')
}
