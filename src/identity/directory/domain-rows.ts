import type { Collections } from '../../model/collections.ts'
import type { Domain } from '../../model/identity.ts'
import { everything, keyOf } from '../../store/indexes.ts'
import type { StoreReader } from '../../store/store.ts'

/** A filter for rows that have a name and can be disabled; without any, all rows pass. */
export type RowFilter = {
  /** Compared without regard to case. */
  readonly name?: string | undefined
  readonly domainId?: string | undefined
  readonly isEnabled?: boolean | undefined
}

/** The projects or users that pass a filter, by creation. O(domains) where a name is given. */
export function rowsInDomains<C extends 'projects' | 'users'>(
  store: StoreReader,
  collection: C,
  filter: RowFilter,
): readonly Collections[C][] {
  const rows = candidates(store, collection, filter) as Iterable<Collections[C]>
  return [...rows].filter(row => isWanted(row, filter))
}

/** The domains that pass a filter, by creation. */
export function domainRows(store: StoreReader, filter: RowFilter): readonly Domain[] {
  const { name } = filter
  const rows =
    name === undefined
      ? [...store.list('domains', 'all', everything)]
      : [store.find('domains', 'byName', name.toLowerCase())]
  return rows.filter(row => row !== undefined).filter(row => isWanted(row, filter))
}

function candidates(
  store: StoreReader,
  collection: 'projects' | 'users',
  { name, domainId }: RowFilter,
): Iterable<Collections['projects' | 'users']> {
  if (name !== undefined) return rowsNamed(store, collection, { name, domainId })
  if (domainId !== undefined) return store.list(collection, 'byDomain', domainId)
  return store.list(collection, 'all', everything)
}

function* rowsNamed(
  store: StoreReader,
  collection: 'projects' | 'users',
  { name, domainId }: { readonly name: string; readonly domainId: string | undefined },
) {
  const domainIds =
    domainId === undefined
      ? [...store.list('domains', 'all', everything)].map(({ id }) => id)
      : [domainId]
  for (const id of domainIds) {
    const row = store.find(collection, 'byName', keyOf(id, name.toLowerCase()))
    if (row !== undefined) yield row
  }
}

function isWanted(row: { readonly isEnabled: boolean }, { isEnabled }: RowFilter): boolean {
  return isEnabled === undefined || row.isEnabled === isEnabled
}
