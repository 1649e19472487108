import { ApiError } from '../../errors.ts'
import type { Changes } from '../../model/changes.ts'
import { type Domain, defaultDomainId } from '../../model/identity.ts'
import { newStamp, updatedRow } from '../../model/stamped.ts'
import type { Store, Transaction } from '../../store/store.ts'
import { newId } from '../new-id.ts'
import type { Principal } from '../principal.ts'
import { requireAdministrator } from './access.ts'
import { domainRows, type RowFilter } from './domain-rows.ts'
import { keepingAnAdministrator } from './last-administrator.ts'
import { removeProject, removeUser } from './removal.ts'
import { requireFreeName, requireRow } from './rows.ts'

type DomainDraft = {
  readonly name: string
  readonly description: string
  readonly isEnabled: boolean
}

/** Domains: the namespaces of users and projects. */
export class Domains {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  list(filter: RowFilter): readonly Domain[] {
    return domainRows(this.#store, filter)
  }

  /** Users see their own domain and that of their project; an administrator sees all.
   *  @throws ApiError forbidden, not_found */
  get(principal: Principal, id: string): Domain {
    const { userDomain, scope } = principal
    if (userDomain.id !== id && scope?.domain.id !== id) requireAdministrator(principal)
    return requireRow(this.#store, 'domains', id)
  }

  /** @throws ApiError conflict */
  create(draft: DomainDraft): Promise<Domain> {
    return this.#store.commit(tx => {
      const domain: Domain = { ...newStamp(tx, newId()), ...draft }
      requireFreeName(tx, 'domains', domain)
      return tx.put('domains', domain)
    })
  }

  /** @throws ApiError not_found, conflict */
  update(id: string, changes: Changes<DomainDraft>): Promise<Domain> {
    return this.#store.commit(tx => {
      const domain = updatedRow(tx, requireRow(tx, 'domains', id), changes)
      requireFreeName(tx, 'domains', domain)
      keepingAnAdministrator(tx, () => tx.put('domains', domain))
      return domain
    })
  }

  /** Deletes a domain with everything in it. It must be disabled before, so that a mistake is noticed then.
   *  @throws ApiError not_found, forbidden, conflict */
  async delete(id: string): Promise<void> {
    await this.#store.commit(tx => {
      const { isEnabled, name } = requireRow(tx, 'domains', id)
      if (id === defaultDomainId)
        throw new ApiError('forbidden', `The domain ${name} cannot be deleted`)
      if (isEnabled)
        throw new ApiError('forbidden', `The domain ${name} is enabled: disable it before`)
      keepingAnAdministrator(tx, () => removeDomain(tx, id))
    })
  }
}

function removeDomain(tx: Transaction, id: string): void {
  for (const project of [...tx.list('projects', 'byDomain', id)]) removeProject(tx, project)
  for (const user of [...tx.list('users', 'byDomain', id)]) removeUser(tx, user)
  tx.delete('domains', id)
}
