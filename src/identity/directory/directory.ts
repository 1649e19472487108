import type { Clock } from '../../clock.ts'
import type { PasswordRules } from '../../model/password-rules.ts'
import type { Store } from '../../store/store.ts'
import type { Logins } from '../logins.ts'
import type { PasswordHasher } from '../password-hasher.ts'
import { ApplicationCredentials } from './application-credentials.ts'
import { Domains } from './domains.ts'
import { Projects } from './projects.ts'
import { RoleAssignments } from './role-assignments.ts'
import { Roles } from './roles.ts'
import { Users } from './users.ts'

type DirectoryParts = {
  readonly store: Store
  readonly clock: Clock
  readonly hasher: PasswordHasher
  readonly logins: Logins
  readonly passwordRules: PasswordRules
}

/** The administration of domains, projects, users, roles and their assignments. */
export class Directory {
  readonly domains: Domains
  readonly projects: Projects
  readonly users: Users
  readonly roles: Roles
  readonly roleAssignments: RoleAssignments
  readonly applicationCredentials: ApplicationCredentials

  constructor({ store, clock, hasher, logins, passwordRules }: DirectoryParts) {
    this.domains = new Domains(store)
    this.projects = new Projects(store)
    this.users = new Users({ store, hasher, logins, passwordRules })
    this.roles = new Roles(store)
    this.roleAssignments = new RoleAssignments(store)
    this.applicationCredentials = new ApplicationCredentials({ store, clock, hasher })
  }
}
