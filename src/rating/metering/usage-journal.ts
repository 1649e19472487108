import { makeDurableDirectory } from '../../durable/directories.ts'
import type { FileSystem } from '../../durable/file-system.ts'
import { Journal, readJournal } from '../segments/journal.ts'
import type { Account } from './account.ts'
import { AccountNumbers, decodeRecord, encodeRecord, type RecordHead } from './usage-record.ts'

/** Accounts in one record at most, so that putting them down can be interrupted. */
const accountsPerRecord = 1000

/** What the last journal said. */
export type Recovered = RecordHead & { readonly accounts: readonly Account[] }

/** The journal of what is metered in the hours that are not closed yet.
 *
 *  A journal begins with all accounts, in one frame: it is there as a whole or not at all. What has changed since
 *  is appended. Another one takes its place when an hour has been closed, when it has grown long, and after a
 *  failed write; only then is it removed. So the last journal that has a beginning says all there is. */
export class UsageJournal {
  readonly #files: FileSystem
  readonly #folder: string
  #generation: number
  #journal: Journal | undefined
  #numbers = new AccountNumbers()

  private constructor(files: FileSystem, folder: string, generation: number) {
    this.#files = files
    this.#folder = folder
    this.#generation = generation
  }

  /** Reads what there is; undefined where nothing was ever metered. Changes nothing: `begin` must come before `append`.
   *  @throws DamageError */
  static async open(
    files: FileSystem,
    folder: string,
  ): Promise<{ journal: UsageJournal; recovered: Recovered | undefined }> {
    const generations = await generationsIn(files, folder)
    const journal = new UsageJournal(files, folder, generations.at(-1) ?? 0)
    for (const generation of generations.reverse()) {
      const { records } = await readJournal(files, `${folder}/${nameOf(generation)}`)
      if (records.length > 0) return { journal, recovered: replay(records) }
    }
    return { journal, recovered: undefined }
  }

  /** Octets of the present journal; undefined where another one must be begun before anything is appended. */
  get length(): number | undefined {
    return this.#journal?.length
  }

  /** Begins another journal with all accounts and removes those before it.
   *  @param rest waits between two parts, so that others have their turn */
  async begin(
    head: RecordHead,
    accounts: readonly Account[],
    rest: () => Promise<void>,
  ): Promise<void> {
    await this.close()
    this.#numbers = new AccountNumbers()
    const records: Buffer[] = []
    for (let from = 0; from < accounts.length || from === 0; from += accountsPerRecord) {
      const part = accounts.slice(from, from + accountsPerRecord)
      records.push(encodeRecord(head, part, this.#numbers))
      await rest()
    }
    this.#generation += 1
    this.#journal = await this.#write(records)
    for (const generation of await generationsIn(this.#files, this.#folder)) {
      if (generation < this.#generation)
        await this.#files.remove(`${this.#folder}/${nameOf(generation)}`)
    }
  }

  async #write(records: readonly Buffer[]): Promise<Journal> {
    await makeDurableDirectory(this.#files, this.#folder)
    const path = `${this.#folder}/${nameOf(this.#generation)}`
    const journal = await Journal.open(this.#files, path, 0)
    try {
      await journal.append(records)
      return journal
    } catch (error) {
      await journal.close()
      // On a full disk each attempt would leave another.
      await this.#files.remove(path).catch(() => undefined)
      throw error
    }
  }

  /** Makes accounts durable as they are now. After a failure another journal must be begun. */
  async append(head: RecordHead, accounts: readonly Account[]): Promise<void> {
    const journal = this.#journal
    if (journal === undefined) throw new RangeError('there is no journal to append to')
    this.#journal = undefined
    try {
      await journal.append([encodeRecord(head, accounts, this.#numbers)])
      this.#journal = journal
    } catch (error) {
      await journal.close()
      throw error
    }
  }

  /** Idempotent. */
  async close(): Promise<void> {
    const journal = this.#journal
    this.#journal = undefined
    await journal?.close()
  }
}

function replay(records: readonly Buffer[]): Recovered {
  const accounts = new Map<number, Account>()
  let head: RecordHead = { atMillis: 0, firstHour: 0 }
  for (const record of records) head = decodeRecord(record, accounts)
  return { ...head, accounts: [...accounts.values()] }
}

/** The generations that have a journal, oldest first. */
export async function generationsIn(files: FileSystem, folder: string): Promise<number[]> {
  const names = await files.list(folder)
  return names
    .flatMap(name => /^(\d+)\.journal$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b)
}

/** The file of a generation. */
export function nameOf(generation: number): string {
  return `${String(generation).padStart(8, '0')}.journal`
}
