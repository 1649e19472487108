import type { CollectionName } from '../model/collections.ts'
import type { Stamped } from '../model/stamped.ts'
import type { GroupKeys } from './group-index.ts'
import { indexes, type UniqueInGroup } from './indexes.ts'
import type { SumDeclaration } from './sum-index.ts'

/** An index of a collection, with the row's type taken off. */
export type Index<Key> = { readonly name: string; readonly keyOf: (row: Stamped) => Key }

export type RowIndexes = {
  readonly unique: readonly Index<string | undefined>[]
  readonly groups: readonly Index<GroupKeys>[]
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
    sums?: Readonly<Record<string, SumDeclaration<Stamped>>>
    uniqueInGroups?: Readonly<Record<string, UniqueInGroup>>
  },
][]

const indexesByCollection = Object.fromEntries(
  declared.map(
    ([collection, { unique, groups, sums = {}, uniqueInGroups = {} }]): [
      CollectionName,
      RowIndexes,
    ] => [
      collection,
      {
        unique: listed(unique),
        groups: listed(groups),
        sums: Object.entries(sums).map(([name, sum]) => ({ name, ...sum })),
        uniqueInGroups,
      },
    ],
  ),
) as Readonly<Record<CollectionName, RowIndexes>>

function listed<Key>(functions: KeyFunctions<Key>): readonly Index<Key>[] {
  return Object.entries(functions).map(([name, keyOf]) => ({ name, keyOf }))
}
