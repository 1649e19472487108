import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { Mount } from '../../../src/api/route-table.ts'
import { startApp } from '../../../src/app.ts'
import { loadConfig } from '../../../src/config/config.ts'
import { createLogger } from '../../../src/log.ts'
import { ApiClient } from '../../helpers/api-client.ts'
import { fakeClock } from '../../helpers/clock.ts'
import { makeThings, type Things } from './things.ts'

// The whole server with everything switched on, one project that has things, and those who have no part in them.

export type Served = {
  readonly mounts: readonly Mount[]
  readonly things: Things
  /** The administrator, over all projects. */
  readonly admin: ApiClient
  readonly owner: ApiClient
  /** A reader in the owner's project. */
  readonly reader: ApiClient
  /** A member of another project. */
  readonly stranger: ApiClient
  /** Those whom nobody knows, by what they are. */
  readonly unknown: Readonly<Record<string, ApiClient>>
  /** Lets as much time pass as a failed login costs. */
  passTime(): void
  /** What changes with every commit. */
  storeState(): string
}

const adminToken = 'the-admin-token-of-the-tests'
const password = 'a-password-of-the-tests'
const tokenLifetimeMillis = 3_600_000

export async function serve(t: Test): Promise<Served> {
  const dataDirectory = t.testdir()
  const clock = fakeClock()
  const app = await startApp({
    config: loadConfig({
      argv: [],
      readFile: () => '',
      environment: environmentFor(dataDirectory),
    }),
    clock,
    logger: createLogger({ level: 'silent' }),
  })
  t.teardown(() => app.close())
  const anonymous = new ApiClient(`http://${app.api.host}:${app.api.port}`)
  const admin = anonymous.with({ 'x-auth-token': adminToken, 'x-auth-all-projects': 'true' })
  const accounts = await makeAccounts(admin)
  const loginOf = async (account: Account) => tokenFor(anonymous, account)
  const expired = await loginOf(accounts.owner)
  clock.advanceMillis(tokenLifetimeMillis)
  const revoked = await loginOf(accounts.owner)
  const withToken = (token: string) => anonymous.with({ 'x-auth-token': token })
  const gone = await withToken(revoked)
    .with({ 'x-subject-token': revoked })
    .delete('/identity/v3/auth/tokens')
  if (gone.status !== 204) throw new Error(`the token was not taken back: ${gone.text}`)
  const ownerToken = await loginOf(accounts.owner)
  const owner = withToken(ownerToken)
  const things = await makeThings({ admin, owner, ownerToken, account: accounts.owner })
  return {
    mounts: app.mounts,
    things,
    admin,
    owner,
    reader: withToken(await loginOf(accounts.reader)),
    stranger: withToken(await loginOf(accounts.stranger)),
    unknown: {
      'no token': anonymous,
      'a token that is none': withToken('x'.repeat(40)),
      'an expired token': withToken(expired),
      'a revoked token': withToken(revoked),
    },
    passTime: () => clock.advanceMillis(15_000),
    storeState: () => journalState(dataDirectory),
  }
}

function environmentFor(dataDirectory: string): Readonly<Record<string, string>> {
  return {
    ZONEWRIGHT_DATA_DIR: dataDirectory,
    ZONEWRIGHT_API_LISTEN: '127.0.0.1:0',
    ZONEWRIGHT_DNS_LISTEN: '127.0.0.1:0',
    ZONEWRIGHT_DNS_WORKERS: '1',
    ZONEWRIGHT_ADMIN_TOKEN: adminToken,
    ZONEWRIGHT_ADMIN_API: 'on',
    ZONEWRIGHT_EXTENSIONS_V1: 'quotas,sync,touch,reports,diagnostics',
  }
}

/** Every commit makes the journal longer, and here all of it is kept. */
function journalState(dataDirectory: string): string {
  const journal = join(dataDirectory, 'journal')
  const names = readdirSync(journal).sort()
  return names.map(name => `${name} ${statSync(join(journal, name)).size}`).join('\n')
}

type Account = { readonly projectId: string; readonly userId: string; readonly roleId: string }

async function makeAccounts(admin: ApiClient) {
  const create = async (path: string, body: object): Promise<string> => {
    const answer = await admin.post(`/identity/v3${path}`, body)
    if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.text}`)
    return (Object.values(answer.body)[0] as { id: string }).id
  }
  const { body } = await admin.get('/identity/v3/roles')
  const roleIdOf = (wanted: string): string =>
    body.roles.find(({ name }: { name: string }) => name === wanted).id
  const accountIn = async (projectId: string, name: string, role: string): Promise<Account> => {
    const userId = await create('/users', { user: { name, password } })
    const roleId = roleIdOf(role)
    const grant = `/identity/v3/projects/${projectId}/users/${userId}/roles/${roleId}`
    const granted = await admin.put(grant)
    if (granted.status !== 204) throw new Error(`PUT ${grant}: ${granted.text}`)
    return { projectId, userId, roleId }
  }
  const owned = await create('/projects', { project: { name: 'name-of-the-owner' } })
  const other = await create('/projects', { project: { name: 'elsewhere' } })
  return {
    owner: await accountIn(owned, 'user-of-the-owner', 'member'),
    reader: await accountIn(owned, 'a-reader', 'reader'),
    stranger: await accountIn(other, 'a-stranger', 'member'),
  }
}

async function tokenFor(client: ApiClient, { userId, projectId }: Account): Promise<string> {
  const identity = { methods: ['password'], password: { user: { id: userId, password } } }
  const auth = { identity, scope: { project: { id: projectId } } }
  const answer = await client.post('/identity/v3/auth/tokens', { auth })
  const token = answer.headers.get('x-subject-token')
  if (token === null) throw new Error(`no token: ${answer.text}`)
  return token
}
