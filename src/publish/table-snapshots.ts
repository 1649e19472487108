import type { Place } from '../durable/file-system.ts'
import { pageOctets } from '../zone/table/layout.ts'
import { ZoneTable } from '../zone/table/zone-table.ts'
import {
  type FoundSnapshot,
  findSnapshot,
  readPages,
  type SnapshotHead,
  TableFile,
} from './table-file.ts'

/** Pages copied in one go while all other work waits: some 4 ms. */
const lastPages = 128
/** A new file of pages is begun when the present one exceeds twice the pages in use plus this much. */
const spareOctets = 16 * 2 ** 20
/** With a smaller table a start needs no snapshot to be fast. */
const minTableOctets = 2 ** 20
/** A start reads and publishes this much of the log in a tenth of a second. */
const minLoggedOctets = 2 ** 20
/** Octets of a snapshot that may be written per logged octet. */
const maxWrittenForLogged = 8
/** After a failure: a full disk is not tried, and the failure reported, every other second. */
const retrySeconds = 60

/** Reads the table of a snapshot into unwritten memory; undefined if it is incomplete. Never throws: without a snapshot a start
 *  only takes longer. */
export async function readTableSnapshot(
  place: Place,
  head: FoundSnapshot,
  memory: SharedArrayBuffer,
): Promise<ZoneTable | undefined> {
  try {
    const state = await readPages(place, head, memory)
    return state && ZoneTable.restore(memory, state)
  } catch {
    return undefined
  }
}

/** As `findSnapshot`; never throws. */
export function findTableSnapshot(place: Place): Promise<FoundSnapshot | undefined> {
  return findSnapshot(place).catch(() => undefined)
}

export type TableSnapshotsOptions = {
  readonly place: Place
  readonly table: ZoneTable
  /** The snapshot that the table was read from. */
  readonly found: FoundSnapshot | undefined
  /** Calls `work` when the table is what was stored after a commit, and nothing changes it meanwhile; without a head if another
   *  process could not take over the table at present. */
  readonly atCommit: (work: (head: SnapshotHead | undefined) => void) => void
  readonly store: {
    readonly lastLsn: number
    /** Octets of commits so far. */
    loggedOctets(): number
  }
  readonly onFailed: (error: unknown) => void
}

type Rest = { readonly head: SnapshotHead; readonly append: () => Promise<void> }

/** Writes snapshots of a table while it is changed. The first takes all pages, each later one those written since. */
export class TableSnapshots {
  readonly #options: TableSnapshotsOptions
  #file: TableFile | undefined
  #generation: number
  #lsn: number | undefined
  /** When the last snapshot was written. */
  #loggedOctets = 0
  #running: Promise<void> | undefined
  #failedAtMs = Number.NEGATIVE_INFINITY

  constructor(options: TableSnapshotsOptions) {
    this.#options = options
    this.#generation = options.found?.generation ?? 0
    this.#lsn = options.found?.lsn
  }

  /** The commit that the last snapshot is of. */
  get lsn(): number | undefined {
    return this.#lsn
  }

  /** Writes a snapshot if anything has been committed since the last; waits for one in progress instead of starting another.
   *  Never rejects. */
  write(): Promise<void> {
    this.#running ??= this.#write()
      .catch(error => this.#fail(error))
      .finally(() => {
        this.#running = undefined
      })
    return this.#running
  }

  /** As `write`, if that costs little compared with what the next start saves. */
  async writeIfDue(): Promise<void> {
    if (performance.now() < this.#failedAtMs + 1000 * retrySeconds) return
    const { table, store } = this.#options
    const loggedOctets = store.loggedOctets() - this.#loggedOctets
    if (this.#lsn !== undefined && loggedOctets < minLoggedOctets) return
    const writtenOctets = table.written.count * pageOctets
    if (this.#lsn === undefined || loggedOctets >= writtenOctets / maxWrittenForLogged)
      await this.write()
  }

  /** Writes a last snapshot. No change may follow. */
  async close(): Promise<void> {
    await this.write()
    await this.#closeFile()
  }

  async #closeFile(): Promise<void> {
    await this.#file?.close()
    this.#file = undefined
  }

  async #write(): Promise<void> {
    const { table, store, atCommit } = this.#options
    const loggedOctets = store.loggedOctets()
    if (this.#lsn === store.lastLsn || table.usage.touchedOctets < minTableOctets) return
    const file = await this.#openFile()
    for (let count = table.written.count; count > lastPages; ) {
      await file.appendPages(table.written)
      const writtenMeanwhile = table.written.count
      // Pages are written to faster than they are copied, as while a large zone is published: a later snapshot has them all.
      if (writtenMeanwhile >= count) return
      count = writtenMeanwhile
    }
    const rest = await new Promise<Rest | undefined>(resolve =>
      atCommit(head =>
        resolve(head && { head, append: file.copyRest(table.written, table.state) }),
      ),
    )
    if (rest === undefined) return
    const { head, append } = rest
    await append()
    await file.seal(head)
    this.#lsn = head.lsn
    this.#loggedOctets = loggedOctets
  }

  /** Opens the file to which a snapshot is appended. */
  async #openFile(): Promise<TableFile> {
    const { place, table, found } = this.#options
    const { touchedOctets } = table.usage
    const isSpent = (octets: number) => octets > 2 * touchedOctets + spareOctets
    if (this.#file === undefined && found !== undefined && this.#lsn === found.lsn)
      this.#file = await TableFile.reopen(place, found)
    if (this.#file !== undefined && !isSpent(this.#file.octetCount)) return this.#file
    await this.#closeFile()
    this.#generation += 1
    this.#file = await TableFile.create(place, this.#generation)
    table.written.markAll()
    return this.#file
  }

  /** Copied pages may be lost, so the next snapshot takes all pages. */
  async #fail(error: unknown): Promise<void> {
    this.#lsn = undefined
    this.#failedAtMs = performance.now()
    await this.#closeFile().catch(() => undefined)
    this.#options.onFailed(error)
  }
}
