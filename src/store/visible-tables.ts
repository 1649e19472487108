import { recordsetUnpacker } from '../model/packed-recordset.ts'
import { type RecordsetRun, recordsetsOf } from '../model/recordset-run.ts'
import { isComplete } from '../model/zone.ts'
import type { Steps } from '../time-slice.ts'
import { maxRowsAtOnce, zoneIdOfRun } from './large-commit.ts'
import { Overlay } from './overlay.ts'
import type { Commit, StoreReader } from './store.ts'
import type { Tables } from './tables.ts'

const maxWordsAtOnce = 32 * maxRowsAtOnce

/** The tables as readers see them. A commit becomes visible all at once, however large: while it is applied in steps, a layer over the
 *  tables takes back what has been applied so far. */
export class VisibleTables {
  /** Reads what is visible at the moment of the call. */
  readonly reader: StoreReader = {
    get: (collection, id) => this.#shown.get(collection, id),
    find: (collection, index, key) => this.#shown.find(collection, index, key),
    list: (collection, index, key, options) => this.#shown.list(collection, index, key, options),
    count: (collection, index, key) => this.#shown.count(collection, index, key),
    sum: (collection, index, key) => this.#shown.sum(collection, index, key),
  }
  readonly #tables: Tables
  #before: Overlay | undefined
  #changingZoneIds: ReadonlySet<string> = new Set()

  constructor(tables: Tables) {
    this.#tables = tables
  }

  /** What `Store.isChanging` says. */
  isChanging(zoneId: string): boolean {
    return this.#changingZoneIds.has(zoneId)
  }

  /** Applies a small commit. */
  apply(commit: Pick<Commit, 'rowChanges' | 'added'>): void {
    this.#tables.apply(commit)
  }

  get #shown(): StoreReader {
    return this.#before ?? this.#tables
  }

  /** Applies a commit in steps; the function they return makes it visible. Meanwhile only small commits of other rows are applied. */
  *applyInSteps({ rowChanges, added }: Pick<Commit, 'rowChanges' | 'added'>): Steps<() => void> {
    const tables = this.#tables
    const recordsets = rowChanges.filter(change => change.collection === 'recordsets')
    const others = rowChanges.filter(({ collection }) => collection !== 'recordsets')
    const zoneIds = [
      ...recordsets.map(({ after, before }) => (after ?? before)?.zoneId),
      ...added.map(zoneIdOfRun),
    ]
    const before = new Overlay(tables)
    this.#changingZoneIds = new Set(zoneIds.filter(id => id !== undefined))
    this.#before = before
    yield
    // Deletions come first: another row may take over a deleted row's key.
    for (const isGoing of [true, false]) {
      for (const change of recordsets) {
        if ((change.after === undefined) !== isGoing) continue
        tables.apply({ rowChanges: [change], added: [] })
        before.takeBack(change)
        yield
      }
    }
    for (const run of added) yield* this.#applyRun(run, before)
    return () => {
      tables.apply({ rowChanges: others, added: [] })
      this.#before = undefined
      this.#changingZoneIds = new Set()
    }
  }

  /** The recordsets of an incomplete zone are not shown to readers, so none have to be taken back. */
  *#applyRun(run: RecordsetRun, before: Overlay): Steps<void> {
    const zone = before.get('zones', zoneIdOfRun(run))
    for (const piece of piecesOf(run)) {
      this.#tables.apply({ rowChanges: [], added: [piece] })
      if (zone !== undefined && isComplete(zone)) {
        for (const record of recordsetsOf(piece))
          before.takeBack({
            collection: 'recordsets',
            id: recordsetUnpacker.idOf(record),
            before: undefined,
            after: recordsetUnpacker.unpack(record),
          })
      }
      yield
    }
  }
}

/** A run in pieces that are applied in one go. */
function* piecesOf(run: RecordsetRun): Generator<RecordsetRun> {
  for (let from = 0; from < run.length; ) {
    let to = from
    while (to < run.length && to - from < maxWordsAtOnce) to += 1 + (run[to] as number)
    yield run.subarray(from, to)
    from = to
  }
}
