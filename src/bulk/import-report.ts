import type {
  ImportChange,
  ImportDifference,
  ImportList,
  ImportNote,
  ImportReport,
} from '../model/zone-import.ts'

/** Maximum entries of each kind that a report names; it counts all. */
const maxNamed = 100
/** Maximum entries of each kind that a message names. */
const maxNamedInMessage = 3

/** Collects the notes about an import, in bounded memory. */
export class ImportReporter {
  readonly leftOut: Collected<ImportNote>
  readonly changed: Collected<ImportNote>

  /** Starts with the notes of an earlier report, if there was one. */
  constructor({ leftOut, changed }: Partial<ImportReport> = {}) {
    this.leftOut = new Collected(leftOut)
    this.changed = new Collected(changed)
  }

  /** The report, with a difference if a zone is replaced. */
  report(difference?: ImportDifference): ImportReport {
    return {
      leftOut: this.leftOut.list(),
      changed: this.changed.list(),
      ...(difference !== undefined && { difference }),
    }
  }
}

/** A list that counts all items and keeps the first ones. */
export class Collected<T> {
  readonly #named: T[]
  #count: number

  constructor({ count, named }: ImportList<T> = { count: 0, named: [] }) {
    this.#count = count
    this.#named = [...named]
  }

  get count(): number {
    return this.#count
  }

  /** Calls `itemOf` only if the item is kept. */
  add(itemOf: () => T): void {
    this.#count += 1
    if (this.#named.length < maxNamed) this.#named.push(itemOf())
  }

  list(): ImportList<T> {
    return { count: this.#count, named: [...this.#named] }
  }
}

/** The message of a finished import: what was done to the zone, and which parts of the file were not taken or differ. */
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
  const shown = named
    .slice(0, maxNamedInMessage)
    .map(({ name, type, reason }) => `${name} ${type} (${reason})`)
  const rest = count > shown.length ? [`${count - shown.length} more`] : []
  return [`${what}: ${[...shown, ...rest].join(', ')}`]
}

/** Maximum values of a recordset that a report shows, and maximum characters of each. */
const maxValues = 8
const maxValueCharacters = 200

/** A recordset in the form of a report. */
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
