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
export class NumbersInGroups implements UniqueNumbers {
  readonly #groups: GroupIndex
  readonly #partsOf: UniqueInGroup['partsOf']
  readonly #rows: RowHeap
  readonly #keyOf: (number: number) => string | undefined

  constructor(parts: {
    readonly groups: GroupIndex
    readonly partsOf: UniqueInGroup['partsOf']
    readonly rows: RowHeap
    readonly keyOf: (number: number) => string | undefined
  }) {
    this.#groups = parts.groups
    this.#partsOf = parts.partsOf
    this.#rows = parts.rows
    this.#keyOf = parts.keyOf
  }

  get(key: string): number | undefined {
    return this.#find(key, 0)
  }

  add(key: string, number: number): number | undefined {
    return this.#find(key, number)
  }

  /** Another than `own`. */
  #find(key: string, own: number): number | undefined {
    const { groupKey, type: mnemonic } = this.#partsOf(key)
    const type = packedTypeOf(mnemonic)
    for (const number of this.#groups.numbers(groupKey)) {
      if (number === own || (type !== undefined && !this.#rows.mayHaveType(number, type))) continue
      if (this.#keyOf(number) === key) return number
    }
    return undefined
  }
}
