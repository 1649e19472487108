import type {
  ImportChange,
  ImportDifference,
  ImportList,
  ImportNote,
  ImportReport,
} from '../model/zone-import.ts'

/** What a report names of each sort; it counts all. */
const maxNamed = 100
/** What a message names of each sort. */
const maxTold = 3

/** Collects what is said of an import, bounded however much there is. */
export class ImportReporter {
  readonly leftOut: Collected<ImportNote>
  readonly changed: Collected<ImportNote>

  constructor(leftOut = new Collected<ImportNote>(), changed = new Collected<ImportNote>()) {
    this.leftOut = leftOut
    this.changed = changed
  }

  /** One that goes on from here by itself. */
  copy(): ImportReporter {
    return new ImportReporter(this.leftOut.copy(), this.changed.copy())
  }

  /** The report, with a difference where something is replaced. */
  report(difference?: ImportDifference): ImportReport {
    return {
      leftOut: this.leftOut.list(),
      changed: this.changed.list(),
      ...(difference !== undefined && { difference }),
    }
  }
}

/** A list that counts all and keeps the first. */
export class Collected<T> {
  readonly #named: T[]
  #count: number

  constructor({ count, named }: ImportList<T> = { count: 0, named: [] }) {
    this.#count = count
    this.#named = [...named]
  }

  copy(): Collected<T> {
    return new Collected(this.list())
  }

  get count(): number {
    return this.#count
  }

  /** Asks for the item only if it is kept. */
  add(itemOf: () => T): void {
    this.#count += 1
    if (this.#named.length < maxNamed) this.#named.push(itemOf())
  }

  list(): ImportList<T> {
    return { count: this.#count, named: [...this.#named] }
  }
}

/** What an import's owner reads when it is finished: what has become of the zone, and what of the file did not. */
export function doneMessage(done: string, { leftOut, changed, difference }: ImportReport): string {
  return [
    done,
    ...(difference === undefined ? [] : [differenceMessage(difference)]),
    ...notesMessage('left out', leftOut),
    ...notesMessage('changed', changed),
  ].join('; ')
}

function differenceMessage({ added, changed, removed }: ImportDifference): string {
  return `recordsets new: ${added.count}, changed: ${changed.count}, removed: ${removed.count}`
}

function notesMessage(what: string, { count, named }: ImportList<ImportNote>): string[] {
  if (count === 0) return []
  const told = named
    .slice(0, maxTold)
    .map(({ name, type, reason }) => `${name} ${type} (${reason})`)
  const rest = count > told.length ? [`${count - told.length} more`] : []
  return [`${what}: ${[...told, ...rest].join(', ')}`]
}

/** Values that a report shows of a recordset, and characters of each. */
const maxValues = 8
const maxValueCharacters = 200

/** What a report shows of a recordset. */
export function shownRecordset({
  ttlSeconds,
  records,
}: {
  readonly ttlSeconds: number | null
  readonly records: readonly string[]
}): NonNullable<ImportChange['before']> {
  return {
    ttlSeconds,
    recordCount: records.length,
    records: records.slice(0, maxValues).map(record => record.slice(0, maxValueCharacters)),
  }
}
