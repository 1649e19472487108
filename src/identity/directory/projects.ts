import { ApiError } from '../../errors.ts'
import type { Changes } from '../../model/changes.ts'
import { adminName, defaultDomainId, type Project } from '../../model/identity.ts'
import { newStamp, updatedRow } from '../../model/stamped.ts'
import type { Store } from '../../store/store.ts'
import { enabledDomainOf } from '../accounts.ts'
import { newId } from '../new-id.ts'
import type { Principal } from '../principal.ts'
import { isAdministrator, requireAdministrator, requireSelfOrAdministrator } from './access.ts'
import { type RowFilter, rowsInDomains } from './domain-rows.ts'
import { keepingAnAdministrator } from './last-administrator.ts'
import { removeProject } from './removal.ts'
import { requireFreeName, requireRow } from './rows.ts'

export type ProjectDraft = {
  readonly domainId: string
  readonly name: string
  readonly description: string
  readonly isEnabled: boolean
}

/** Projects: the owners of zones. */
export class Projects {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  list(filter: RowFilter): readonly Project[] {
    return rowsInDomains(this.#store, 'projects', filter)
  }

  /** Projects that a user has a role in, by creation.
   *  @throws ApiError forbidden, not_found */
  listOfUser(principal: Principal, userId: string): readonly Project[] {
    requireSelfOrAdministrator(principal, userId)
    requireRow(this.#store, 'users', userId)
    return [...this.#projectsOf(userId)].sort((a, b) => a.createdAt - b.createdAt)
  }

  /** Those that the principal could get a token for. */
  listOpen({ user }: Principal): readonly Project[] {
    const projects = [...this.#projectsOf(user.id)]
    return projects.filter(project => enabledDomainOf(this.#store, project) !== undefined)
  }

  /** Users see projects in which they have a role; an administrator sees all.
   *  @throws ApiError forbidden, not_found */
  get(principal: Principal, id: string): Project {
    if (!this.#mayGet(principal, id)) requireAdministrator(principal)
    return requireRow(this.#store, 'projects', id)
  }

  /** @throws ApiError not_found: the domain; conflict */
  create(draft: ProjectDraft): Promise<Project> {
    return this.#store.commit(tx => {
      requireRow(tx, 'domains', draft.domainId)
      const project: Project = { ...newStamp(tx, newId()), ...draft }
      requireFreeName(tx, 'projects', project)
      return tx.put('projects', project)
    })
  }

  /** @throws ApiError not_found, forbidden, conflict */
  update(id: string, changes: Changes<Omit<ProjectDraft, 'domainId'>>): Promise<Project> {
    return this.#store.commit(tx => {
      const before = requireRow(tx, 'projects', id)
      const project = updatedRow(tx, before, changes)
      if (project.name !== before.name) requireNotFirst(before)
      requireFreeName(tx, 'projects', project)
      keepingAnAdministrator(tx, () => tx.put('projects', project))
      return project
    })
  }

  /** @throws ApiError not_found, forbidden; conflict: it owns zones, or it is the last administrator's */
  async delete(id: string): Promise<void> {
    await this.#store.commit(tx => {
      const project = requireRow(tx, 'projects', id)
      requireNotFirst(project)
      keepingAnAdministrator(tx, () => removeProject(tx, project))
    })
  }

  #mayGet(principal: Principal, id: string): boolean {
    if (principal.scope?.project.id === id || isAdministrator(principal)) return true
    return [...this.#projectsOf(principal.user.id)].some(project => project.id === id)
  }

  #projectsOf(userId: string): ReadonlySet<Project> {
    const projects = new Set<Project>()
    for (const { projectId } of this.#store.list('roleAssignments', 'byUser', userId)) {
      const project = this.#store.get('projects', projectId)
      if (project !== undefined) projects.add(project)
    }
    return projects
  }
}

/** The fixed admin token acts for the first project, so that project can be neither deleted nor renamed.
 *  @throws ApiError forbidden */
function requireNotFirst({ domainId, name }: Project): void {
  if (domainId !== defaultDomainId || name !== adminName) return
  throw new ApiError('forbidden', `The project ${name} can be neither deleted nor renamed`)
}
