import type { CapturedFile, CapturedFiles } from '../../durable/captured-file.ts'
import { makeDurableDirectory } from '../../durable/directories.ts'
import type { FileSystem } from '../../durable/file-system.ts'
import { Log } from '../../durable/log.ts'
import { type LogContents, type LogCut, readLog, tornEndOf } from '../../durable/log-recovery.ts'
import { TimeSlice } from '../../time-slice.ts'
import { listLog } from '../segments/older-journal.ts'
import type { Account } from './account.ts'
import { AccountNumbers, decodeRecord, encodeRecord, type RecordHead } from './usage-record.ts'

/** Accounts in one record at most, so that writing them can be interrupted. */
const accountsPerRecord = 1000

const emptyContents: LogContents = {
  lastNumber: 0,
  lastOctets: 0,
  lastMark: undefined,
  octetCount: 0,
  break: undefined,
}

/** The content of the last segment. */
export type Recovered = RecordHead & { readonly accounts: readonly Account[] }

/** The log of what is metered in the hours that are not closed yet.
 *
 *  A segment begins with all accounts, appended at once: they are there as a whole or not at all. Changes are appended to
 *  it. A new segment replaces it when an hour is closed, when it has grown long, and after a failed write; only then is it
 *  removed. So the last segment with a complete beginning holds everything. */
export class UsageJournal implements CapturedFiles {
  readonly #files: FileSystem
  readonly #folder: string
  readonly #log: Log
  #isBegun = false
  #numbers = new AccountNumbers()

  private constructor(files: FileSystem, folder: string, log: Log) {
    this.#files = files
    this.#folder = folder
    this.#log = log
  }

  /** Reads what there is; undefined where nothing was ever metered. Changes nothing: `begin` must come before `append`.
   *  @throws DamageError */
  static async open(
    files: FileSystem,
    folder: string,
  ): Promise<{
    journal: UsageJournal
    recovered: Recovered | undefined
    cut: LogCut | undefined
  }> {
    const segments = await listLog(files, folder)
    let found = emptyContents
    const records: Buffer[] = []
    let cut: LogCut | undefined
    for (; segments.length > 0; segments.pop()) {
      const last = segments.slice(-1)
      const after = (last[0]?.first ?? 1) - 1
      const apply = (_: number, record: Buffer) => records.push(record)
      found = await readLog(files, last, { after, apply })
      cut = tornEndOf(found) ?? cut
      if (records.length > 0) break
    }
    const log = new Log({ files, directory: folder, segments, found })
    const journal = new UsageJournal(files, folder, log)
    return { journal, cut, recovered: records.length > 0 ? replay(records) : undefined }
  }

  capture(): readonly CapturedFile[] {
    return this.#log.capture()
  }

  /** Octets since the last beginning; undefined where another one must be made before anything is appended. */
  get length(): number | undefined {
    return this.#isBegun ? this.#log.octetCount : undefined
  }

  /** Begins another segment with all accounts and removes those before it. */
  async begin(head: RecordHead, accounts: readonly Account[]): Promise<void> {
    this.#isBegun = false
    this.#numbers = new AccountNumbers()
    const records = await this.#recordsOf(head, accounts)
    await makeDurableDirectory(this.#files, this.#folder)
    const before = this.#log.lastNumber
    this.#log.rotate()
    await this.#log.append(records)
    this.#isBegun = true
    await this.#log.dropThrough(before)
  }

  /** Makes accounts durable, each as it is now or a little later. After a failure another segment must be begun. */
  async append(head: RecordHead, accounts: readonly Account[]): Promise<void> {
    if (!this.#isBegun) throw new RangeError('there is no segment to append to')
    this.#isBegun = false
    await this.#log.append(await this.#recordsOf(head, accounts))
    this.#isBegun = true
  }

  async #recordsOf(head: RecordHead, accounts: readonly Account[]): Promise<readonly Buffer[]> {
    const slice = new TimeSlice()
    const records: Buffer[] = []
    for (let from = 0; from < accounts.length || from === 0; from += accountsPerRecord) {
      const part = accounts.slice(from, from + accountsPerRecord)
      records.push(encodeRecord(head, part, this.#numbers))
      if (slice.isSpent) await slice.yield()
    }
    return records
  }

  /** Idempotent. */
  async close(): Promise<void> {
    this.#isBegun = false
    await this.#log.close()
  }
}

function replay(records: readonly Buffer[]): Recovered {
  const accounts = new Map<number, Account>()
  let head: RecordHead = { atMillis: 0, firstHour: 0 }
  for (const record of records) head = decodeRecord(record, accounts)
  return { ...head, accounts: [...accounts.values()] }
}
