import type { CollectionName } from '../model/collections.ts'
import type { GroupDefect, GroupIndex } from './group-index.ts'
import type { KeyTable } from './key-table.ts'
import type { RowHeap } from './row-heap.ts'
import type { GroupOrder, Index, RowIndexes } from './row-indexes.ts'
import { SumAudit, SumIndex } from './sum-index.ts'
import type { UniqueNumbers } from './unique-numbers.ts'

/** An index or sum of a collection that does not match the rows. */
export type IndexDefect = {
  readonly collection: CollectionName
  readonly index: string
  /** The row that is found wrongly or not at all; undefined where it is about a key as a whole. */
  readonly id: string | undefined
  /** For display, after the name of the affected part of the collection. */
  readonly problem: string
}

export type UniqueIndex = Index<string | undefined> & { readonly numbers: UniqueNumbers }
export type Group = Pick<GroupOrder, 'sortValue'> & {
  readonly name: string
  readonly index: GroupIndex
}
export type Sum = RowIndexes['sums'][number] & { readonly index: SumIndex }

/** The rows of a table and their indexes. */
export type TableParts = {
  readonly collection: CollectionName
  readonly rows: RowHeap
  readonly byId: KeyTable
  readonly unique: readonly UniqueIndex[]
  readonly groups: readonly Group[]
  readonly sums: readonly Sum[]
  /** Notified of each change while sums are recomputed. */
  readonly audits: Set<SumAudit>
}

/** Checks the indexes against the rows, in small steps between which rows may change: yields each defect, and
 *  undefined after a step that found none. Each row is judged as it is in its own step. */
export function* indexDefectsOf(parts: TableParts): Generator<IndexDefect | undefined> {
  const { byId, groups, collection } = parts
  for (const number of byId.values()) yield* rowDefects(parts, number)
  for (const { name, index } of groups) {
    for (const key of index.keys()) {
      for (const defect of index.defectsOf(key))
        yield defect && { collection, index: name, ...described(defect) }
    }
  }
  yield* sumDefects(parts)
}

function* rowDefects(
  { collection, rows, unique, groups }: TableParts,
  number: number,
): Generator<IndexDefect | undefined> {
  const row = rows.get(number)
  // Deleted since the walk passed it.
  if (row === undefined) return
  const about = { collection, id: row.id }
  const missing = unique.filter(({ keyOf, numbers }) => {
    const key = keyOf(row)
    return key !== undefined && numbers.get(key) !== number
  })
  const lacking = groups.filter(({ index }) => !index.has(number, row))
  yield undefined
  for (const { name } of missing) {
    yield { ...about, index: name, problem: 'it is not found by its key' }
  }
  for (const { name } of lacking) {
    yield { ...about, index: name, problem: 'it is missing from its group' }
  }
}

function described(defect: GroupDefect): Pick<IndexDefect, 'id' | 'problem'> {
  const id = 'id' in defect ? defect.id : undefined
  return { id, problem: `${groupProblems[defect.problem]} (key ${JSON.stringify(defect.key)})` }
}

const groupProblems = {
  miscounted: 'its number of rows is wrong',
  stale: 'it holds a row that is gone, has changed or belongs elsewhere',
  disordered: 'it holds a row at a wrong place',
} as const satisfies Record<GroupDefect['problem'], string>

/** Recomputes all sums and compares them with the kept ones. */
function* sumDefects(parts: TableParts): Generator<IndexDefect | undefined> {
  const { collection, rows, byId, audits } = parts
  const sums = parts.sums.map(sum => ({ ...sum, again: new SumIndex(sum) }))
  if (sums.length === 0) return
  const audit = new SumAudit(sums.map(({ again }) => again))
  audits.add(audit)
  try {
    for (const { entries, isPassed } of byId.walk()) {
      audit.count(
        entries.flatMap(number => rows.get(number) ?? []),
        isPassed,
      )
      yield
    }
    for (const sum of sums) {
      const { name, index, again } = sum
      const defectOf = (problem: string | undefined) =>
        problem === undefined ? undefined : { collection, index: name, id: undefined, problem }
      for (const key of again.keys()) yield defectOf(sumProblem(sum, key))
      for (const key of index.keys()) {
        if (again.get(key) === 0) yield defectOf(sumProblem(sum, key))
      }
      if (index.total !== again.total)
        yield defectOf(`the total is ${index.total}, but the rows add up to ${again.total}`)
    }
  } finally {
    audits.delete(audit)
  }
}

function sumProblem(
  sum: { readonly index: SumIndex; readonly again: SumIndex },
  key: string,
): string | undefined {
  const [kept, again] = [sum.index.get(key), sum.again.get(key)]
  if (kept === again) return undefined
  return `the sum is ${kept}, but the rows add up to ${again} (key ${JSON.stringify(key)})`
}
