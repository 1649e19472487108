import { ApiClient } from '../../helpers/api-client.ts'
import { type Appliance, adminToken } from '../../helpers/appliance.ts'
import { accountPassword, newAccount, newProject } from '../../helpers/members.ts'

/** One entry of tempest's accounts file. */
export type TempestAccount = {
  readonly username: string
  readonly password: string
  readonly user_domain_name: 'Default'
  readonly roles: readonly string[]
} & (
  | { readonly project_name: string }
  // The suites ask for accounts of the whole system as well. Tempest files an entry with this pair of keys under the
  // system and logs in for the project, which is what matters where a service does not enforce such scopes.
  | { readonly tenant_name: string; readonly system: 'all' }
)

/** How many of each kind. A test class holds up to three members, two administrators and two readers, and two classes run
 *  at a time. For plain users tempest takes the first free account without the role admin, so members come first. */
const kinds = [
  { role: 'member', scope: 'project', count: 10 },
  { role: 'reader', scope: 'project', count: 3 },
  { role: 'reader', scope: 'system', count: 3 },
  { role: 'admin', scope: 'project', count: 4 },
  { role: 'admin', scope: 'system', count: 6 },
] as const

/** Makes the accounts that the suites run with, each in a project of its own. */
export async function makeAccounts(server: Appliance): Promise<readonly TempestAccount[]> {
  const admin = new ApiClient(server.apiUrl).with({ 'x-auth-token': adminToken })
  const accounts: TempestAccount[] = []
  for (const { role, scope, count } of kinds)
    for (let i = 1; i <= count; i += 1) {
      const name = `tempest-${scope}-${role}-${i}`
      await newAccount(admin, { name, projectId: await newProject(admin, name), role })
      const login = {
        username: name,
        password: accountPassword,
        user_domain_name: 'Default',
      } as const
      const place =
        scope === 'project' ? { project_name: name } : { tenant_name: name, system: 'all' as const }
      accounts.push({ ...login, roles: [role], ...place })
    }
  return accounts
}
