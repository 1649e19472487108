import { ApiError } from '../../errors.ts'
import type { Collections } from '../../model/collections.ts'
import { otherHolder, type StoreReader } from '../../store/store.ts'

/** The resources of the identity service, as messages name them. */
const nouns = {
  domains: 'domain',
  projects: 'project',
  users: 'user',
  roles: 'role',
  applicationCredentials: 'application credential',
} as const

type Resource = keyof typeof nouns

/** @throws ApiError not_found */
export function requireRow<C extends Resource>(
  reader: StoreReader,
  collection: C,
  id: string,
): Collections[C] {
  return reader.get(collection, id) ?? refuseUnknown(collection, id)
}

/** @throws ApiError not_found, always */
export function refuseUnknown(resource: Resource, id: string): never {
  throw new ApiError('not_found', `Could not find ${nouns[resource]}: ${id}.`)
}

/** Refuses a name that another row has.
 *  @throws ApiError conflict */
export function requireFreeName<C extends Resource>(
  reader: StoreReader,
  collection: C,
  row: Collections[C],
): void {
  if (otherHolder<Resource>(reader, collection, 'byName', row) === undefined) return
  throw new ApiError('conflict', `Another ${nouns[collection]} has the name ${row.name}`)
}
