import { ApiError } from '../../errors.ts'

/** The resources of the identity service, as messages name them. */
export type Kind = 'domain' | 'project' | 'user' | 'role' | 'application credential'

/** @throws ApiError not_found, always */
export function refuseUnknown(kind: Kind, id: string): never {
  throw new ApiError('not_found', `Could not find ${kind}: ${id}.`)
}

/** Refuses a name that another row has; a row may keep its own name.
 *  @throws ApiError conflict */
export function requireFreeName(
  row: { readonly kind: Kind; readonly name: string; readonly id?: string },
  holder: { readonly id: string } | undefined,
): void {
  if (holder === undefined || holder.id === row.id) return
  throw new ApiError('conflict', `Another ${row.kind} has the name ${row.name}`)
}
