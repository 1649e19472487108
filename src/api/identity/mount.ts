import type { Identity } from '../../identity/identity.ts'
import { keystone } from '../dialect.ts'
import type { Mount } from '../route-table.ts'
import { applicationCredentialRoutes } from './application-credentials.ts'
import { catalogRoutes } from './catalog.ts'
import { domainRoutes } from './domains.ts'
import { openidRoutes } from './openid.ts'
import { projectRoutes } from './projects.ts'
import { roleAssignmentRoutes } from './role-assignments.ts'
import { roleRoutes } from './roles.ts'
import { secondFactorRoutes } from './second-factors.ts'
import { tokenRoutes } from './tokens.ts'
import { userRoutes } from './users.ts'
import { identityVersionRoutes } from './versions.ts'

/** The identity service, where clients log in and administrators manage access. */
export function identityMount(identity: Identity): Mount {
  const { directory } = identity
  return {
    base: '/identity',
    dialect: keystone,
    routes: [
      ...identityVersionRoutes(),
      ...tokenRoutes(identity),
      ...openidRoutes(identity.openid),
      ...catalogRoutes(),
      ...domainRoutes(directory.domains),
      ...projectRoutes(directory.projects),
      ...userRoutes(directory.users),
      ...secondFactorRoutes(identity.secondFactors),
      ...roleRoutes(directory.roles),
      ...roleAssignmentRoutes(directory.roleAssignments),
      ...applicationCredentialRoutes(directory.applicationCredentials),
    ],
  }
}
