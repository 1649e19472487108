import type { CollectionName } from '../model/collections.ts'
import type { Stamped } from '../model/stamped.ts'
import type { GroupKeys } from './group-index.ts'
import { indexes, type UniqueInGroup } from './indexes.ts'
import { comparePlaces, compareText, type Order } from './ordered-rows.ts'
import type { SumDeclaration } from './sum-index.ts'

/** An index of a collection, with the row's type taken off. */
export type Index<Key> = { readonly name: string; readonly keyOf: (row: Stamped) => Key }

/** The order of the rows of each group. */
export type GroupOrder = {
  readonly order: Order
  /** What it goes by; undefined for the order of creation. */
  readonly sortValue: SortValue | undefined
}

export type SortValue = (row: Stamped) => string

export type RowIndexes = {
  readonly unique: readonly Index<string | undefined>[]
  readonly groups: readonly (Index<GroupKeys> & GroupOrder)[]
  readonly sums: readonly (SumDeclaration<Stamped> & { readonly name: string })[]
  readonly uniqueInGroups: Readonly<Record<string, UniqueInGroup>>
}

/** The declared indexes of a collection. */
export function indexesOf(collection: CollectionName): RowIndexes {
  return indexesByCollection[collection]
}

type KeyFunctions<Key> = Readonly<Record<string, (row: Stamped) => Key>>

// The table in indexes.ts is checked against each row type there; here rows come from the right collection.
const declared = Object.entries(indexes) as unknown as [
  CollectionName,
  {
    unique: KeyFunctions<string | undefined>
    groups: KeyFunctions<GroupKeys>
    orders?: KeyFunctions<string>
    sums?: Readonly<Record<string, SumDeclaration<Stamped>>>
    uniqueInGroups?: Readonly<Record<string, UniqueInGroup>>
  },
][]

const indexesByCollection = Object.fromEntries(
  declared.map(
    ([collection, { unique, groups, orders = {}, sums = {}, uniqueInGroups = {} }]): [
      CollectionName,
      RowIndexes,
    ] => [
      collection,
      {
        unique: listed(unique),
        groups: listed(groups).map(group => {
          const sortValue = orders[group.name]
          return { ...group, sortValue, order: orderBy(sortValue) }
        }),
        sums: Object.entries(sums).map(([name, sum]) => ({ name, ...sum })),
        uniqueInGroups,
      },
    ],
  ),
) as Readonly<Record<CollectionName, RowIndexes>>

function listed<Key>(functions: KeyFunctions<Key>): readonly Index<Key>[] {
  return Object.entries(functions).map(([name, keyOf]) => ({ name, keyOf }))
}

/** Orders rows by a value, and those that have it in common by their ids. */
function orderBy(sortValue: SortValue | undefined): Order {
  if (sortValue === undefined) return comparePlaces
  return (left, right) => {
    const [one, other] = [sortValue(left as Stamped), sortValue(right as Stamped)]
    return compareText(one, other) || compareText(left.id, right.id)
  }
}
