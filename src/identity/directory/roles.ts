import { ApiError } from '../../errors.ts'
import type { Changes } from '../../model/changes.ts'
import { builtInRoles, type Role } from '../../model/identity.ts'
import { newStamp, updatedRow } from '../../model/stamped.ts'
import { everything } from '../../store/indexes.ts'
import type { Store } from '../../store/store.ts'
import { newId } from '../new-id.ts'
import { requireFreeName, requireRow } from './rows.ts'

export type RoleDraft = { readonly name: string; readonly description: string }

/** Roles. Those of the policy cannot be changed; any others may be created, for other services to read. */
export class Roles {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  list({ name }: { readonly name?: string | undefined }): readonly Role[] {
    if (name === undefined) return [...this.#store.list('roles', 'all', everything)]
    const role = this.#store.find('roles', 'byName', name.toLowerCase())
    return role === undefined ? [] : [role]
  }

  /** @throws ApiError not_found */
  get(id: string): Role {
    return requireRow(this.#store, 'roles', id)
  }

  /** @throws ApiError conflict */
  create(draft: RoleDraft): Promise<Role> {
    return this.#store.commit(tx => {
      const role: Role = { ...newStamp(tx, newId()), ...draft }
      requireFreeName(tx, 'roles', role)
      return tx.put('roles', role)
    })
  }

  /** @throws ApiError not_found, forbidden, conflict */
  update(id: string, changes: Changes<RoleDraft>): Promise<Role> {
    return this.#store.commit(tx => {
      const before = requireRow(tx, 'roles', id)
      const role = updatedRow(tx, before, changes)
      if (role.name !== before.name) requireNotBuiltIn(before)
      requireFreeName(tx, 'roles', role)
      return tx.put('roles', role)
    })
  }

  /** Deletes a role and all its assignments.
   *  @throws ApiError not_found, forbidden */
  async delete(id: string): Promise<void> {
    await this.#store.commit(tx => {
      requireNotBuiltIn(requireRow(tx, 'roles', id))
      for (const row of [...tx.list('roleAssignments', 'byRole', id)])
        tx.delete('roleAssignments', row.id)
      tx.delete('roles', id)
    })
  }
}

/** @throws ApiError forbidden: the policy knows the role by its name */
function requireNotBuiltIn({ name }: Role): void {
  if (!builtInRoles.some(builtIn => builtIn === name)) return
  throw new ApiError('forbidden', `The role ${name} can be neither deleted nor renamed`)
}
