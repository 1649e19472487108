import { packedTypeOf } from '../model/packed-recordset.ts'
import type { GroupIndex } from './group-index.ts'
import type { UniqueInGroup } from './indexes.ts'
import type { RowHeap } from './row-heap.ts'

/** Numbers of rows by a key that at most one of them has. */
export type UniqueNumbers = {
  get(key: string): number | undefined
  /** Inserts a number, unless another has the key: then returns that one. */
  add(key: string, number: number): number | undefined
}

/** Finds rows through a group index, which has them anyway: rows come and go with their groups. Takes time
 *  proportional to the group; of a million recordsets hardly any owner has ten. */
export function numbersInGroups(
  groups: GroupIndex,
  partsOf: UniqueInGroup['partsOf'],
  rows: RowHeap,
  keyOf: (number: number) => string | undefined,
): UniqueNumbers {
  /** Another than `own`. */
  const find = (key: string, own: number): number | undefined => {
    const { groupKey, type: mnemonic } = partsOf(key)
    const type = packedTypeOf(mnemonic)
    for (const number of groups.numbers(groupKey)) {
      if (number === own || (type !== undefined && !rows.mayHaveType(number, type))) continue
      if (keyOf(number) === key) return number
    }
    return undefined
  }
  return { get: key => find(key, 0), add: find }
}
