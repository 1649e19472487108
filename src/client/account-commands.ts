import { randomBytes } from 'node:crypto'
import type { Command } from 'commander'
import { ClientError, exitCodes } from './client-error.ts'
import type { Context } from './context.ts'
import { secretOf, withSecret } from './secret.ts'
import { type JsonObject, queryOf, type Session } from './session.ts'
import { zoneOf } from './zone-names.ts'

const identity = '/identity/v3'

/** `project …`, `user …`, `credential …`, `key …`: accounts, for administrators, and keys of TSIG. */
export function addAccountCommands(program: Command, context: Context): void {
  addProjects(program, context)
  addUsers(program, context)
  addCredentials(program, context)
  addKeys(program, context)
}

function addProjects(program: Command, context: Context): void {
  const { server, output } = context
  const project = program.command('project').description('projects, which own zones')
  project
    .command('list')
    .description('list projects')
    .action(async () => output().rows(await rowsOf(server, 'projects'), ['name', 'id']))
  project
    .command('create <name>')
    .description('create a project')
    .option('--description <text>')
    .action(async (name, { description }) => {
      const path = `${identity}/projects`
      output().object(await made(server, path, 'project', { name, description }))
    })
  project
    .command('quota <name> [changes...]')
    .description('show or change the quotas of a project: zones=5000, -1 for no limit')
    .action(async (name, changes: readonly string[]) => {
      const path = `/v2/quotas/${await idOf(server, 'projects', name)}`
      const quotas = Object.fromEntries(changes.map(quotaOf))
      const shown =
        changes.length === 0
          ? server.get(`${path}?all_projects=true`)
          : server.json('PATCH', path, quotas)
      output().object(await shown)
    })
  project
    .command('delete <name>')
    .description('delete a project that owns no zones')
    .action(async name => remove(context, name, await pathOf(server, 'projects', name)))
}

/** @throws ClientError the text is not a quota with its number */
function quotaOf(text: string): [string, number] {
  const [, name = '', value = ''] = /^(\w+)=(-?\d+)$/.exec(text) ?? []
  if (name === '') throw new ClientError(`${text} is not as zones=5000`, exitCodes.usage)
  return [name, Number(value)]
}

function addUsers(program: Command, context: Context): void {
  const { server, output, readText } = context
  const user = program.command('user').description('users, who log in')
  user
    .command('list')
    .description('list users')
    .action(async () => output().rows(await rowsOf(server, 'users'), ['name', 'enabled', 'id']))
  withSecret(
    user.command('create <name>').description('create a user, with a role in a project'),
    'password',
    'generated and shown if it is not given',
  )
    .option('--project <name>', 'where the role is; without it there is none')
    .option('--role <role>', 'reader, member or admin there; member if it is not given')
    .action(async (name, { project, role, ...options }) => {
      if (role !== undefined && project === undefined)
        throw new ClientError('--role needs --project', exitCodes.usage)
      const given = await secretOf('password', options, readText)
      // Looked up first: otherwise a user who cannot be given the role would be left behind.
      const projectId = project && (await idOf(server, 'projects', project))
      const roleId = project && (await idOf(server, 'roles', role ?? 'member'))
      const password = given ?? newPassword()
      const fields = { name, password, default_project_id: projectId || undefined }
      const user = await made(server, `${identity}/users`, 'user', fields)
      if (project) await server.json('PUT', grantPath({ projectId, userId: user.id, roleId }))
      output().object(given === undefined ? { ...user, password } : user)
    })
  withSecret(
    user.command('password <name>').description('set the password of a user, whose tokens end'),
    'password',
    'generated and shown if it is not given',
  ).action(async (name, options) => {
    const given = await secretOf('password', options, readText)
    const password = given ?? newPassword()
    await server.json('PATCH', await pathOf(server, 'users', name), { user: { password } })
    output().object({ name, ...(given === undefined && { password }) })
  })
  user
    .command('delete <name>')
    .description('delete a user')
    .action(async name => remove(context, name, await pathOf(server, 'users', name)))
  addRoles(user, context)
}

function addRoles(user: Command, { server, output }: Context): void {
  const grantOf = async (name: string, project: string, role = 'member') =>
    grantPath({
      projectId: await idOf(server, 'projects', project),
      userId: await idOf(server, 'users', name),
      roleId: await idOf(server, 'roles', role),
    })
  user
    .command('roles [name]')
    .description('list who has which role in which project')
    .action(async name => {
      const userId = name === undefined ? undefined : await idOf(server, 'users', name)
      const query = queryOf({ include_names: 'true', 'user.id': userId })
      const path = `${identity}/role_assignments?${query}`
      const rows = await server.list(path, 'role_assignments')
      output().rows(rows, ['user', 'project', 'role'], rows.map(assignmentNames))
    })
  user
    .command('grant <name> <project> [role]')
    .description('give a user a role in a project: reader, member (if it is not given) or admin')
    .action(async (name, project, role) => {
      await server.json('PUT', await grantOf(name, project, role))
      output().done(`${name} is ${role ?? 'member'} of ${project}`)
    })
  user
    .command('revoke <name> <project> [role]')
    .description('take the role of a user in a project away')
    .action(async (name, project, role) => {
      await server.json('DELETE', await grantOf(name, project, role))
      output().done(`${name} is no longer ${role ?? 'member'} of ${project}`)
    })
}

function assignmentNames({ user, role, scope }: JsonObject): JsonObject {
  const nameIn = (object: unknown) => (object as JsonObject).name
  return { user: nameIn(user), project: nameIn((scope as JsonObject).project), role: nameIn(role) }
}

function grantPath(ids: {
  readonly projectId: string
  readonly userId: unknown
  readonly roleId: string
}): string {
  return `${identity}/projects/${ids.projectId}/users/${ids.userId}/roles/${ids.roleId}`
}

/** Of 128 bits. */
function newPassword(): string {
  return randomBytes(16).toString('base64url')
}

function addCredentials(program: Command, context: Context): void {
  const { server, output } = context
  const credential = program
    .command('credential')
    .description('your application credentials, for scripts')
  const path = async () => `${identity}/users/${await server.userId()}/application_credentials`
  credential
    .command('list')
    .description('list application credentials')
    .action(async () => {
      const rows = await server.list(await path(), 'application_credentials')
      output().rows(rows, ['name', 'expires_at', 'id'])
    })
  credential
    .command('create <name>')
    .description('create an application credential; its secret is shown once')
    .option('--expires <time>', 'such as 2027-01-01T00:00:00')
    .action(async (name, { expires }) => {
      const fields = { name, expires_at: expires }
      const credential = await made(server, await path(), 'application_credential', fields)
      const roles = (credential.roles ?? []) as readonly JsonObject[]
      output().object(credential, { ...credential, roles: roles.map(role => role.name) })
    })
  credential
    .command('delete <name>')
    .description('delete an application credential; its tokens end')
    .action(async name => {
      const all = await path()
      const rows = await server.list(all, 'application_credentials')
      await remove(context, name, `${all}/${namedIn(rows, name, 'application credential')}`)
    })
}

function addKeys(program: Command, context: Context): void {
  const { server, output, confirm } = context
  const key = program.command('key').description('TSIG keys, for administrators')
  const columns = ['name', 'algorithm', 'scope', 'resource_id', 'id']
  key
    .command('list')
    .description('list keys')
    .action(async () =>
      output().rows(await server.list('/v2/tsigkeys?limit=1000', 'tsigkeys'), columns),
    )
  key
    .command('create <name> [algorithm] [secret]')
    .description(
      'create a key, by default of hmac-sha256 with a generated secret, for all zones of the first pool',
    )
    .option('--zone <zone>', 'for this zone only')
    .option('--resource <id>', 'for the pool or zone with this id')
    .option('--scope <scope>', 'which of both the id is: POOL or ZONE', 'POOL')
    .action(async (name, algorithm, secret, { zone, resource, scope }) => {
      const body = {
        name,
        algorithm: algorithm ?? 'hmac-sha256',
        secret: secret ?? randomBytes(32).toString('base64'),
        ...(zone === undefined
          ? { scope: scope.toUpperCase(), resource_id: resource ?? (await firstPoolId(server)) }
          : { scope: 'ZONE', resource_id: (await zoneOf(server, zone)).id }),
      }
      output().object(await server.json('POST', '/v2/tsigkeys', body))
    })
  key
    .command('delete <name>')
    .description('delete a key; what names it is shown before')
    .option('-y, --yes', 'without asking')
    .action(async (name, { yes }) => {
      const rows = await server.list('/v2/tsigkeys?limit=1000', 'tsigkeys')
      const path = `/v2/tsigkeys/${namedIn(rows, name, 'key')}`
      const users = yes ? '' : usersIn(await server.get(`${path}/uses`))
      if (users !== '' && !(await confirm(`Delete ${name}, which is named by ${users}`)))
        throw new ClientError(`${name} is named by ${users}; --yes deletes it without asking`)
      await remove(context, name, path)
    })
}

/** What names a key, the first three by their names; empty where nothing does. */
function usersIn({ uses, metadata }: JsonObject): string {
  const named = (uses as readonly JsonObject[]).slice(0, 3)
  const more = Number((metadata as JsonObject).total_count) - named.length
  const texts = named.map(
    ({ resource, name, places }) =>
      `the ${resource} ${name} (${(places as readonly string[]).join(', ')})`,
  )
  return [...texts, ...(more > 0 ? [`${more} more`] : [])].join(', ')
}

/** The pool that zones are in by default. */
async function firstPoolId(session: Session): Promise<unknown> {
  const { pools } = await session.get('/v2/pools?sort_key=created_at&limit=1')
  return (pools as readonly JsonObject[])[0]?.id
}

function rowsOf(session: Session, plural: string): Promise<readonly JsonObject[]> {
  return session.list(`${identity}/${plural}`, plural)
}

/** The id of a project given by its name or id. One that is gone, or in another Keystone, has only an id. */
export async function projectIdOf(session: Session, project: string): Promise<string> {
  return idOf(session, 'projects', project).catch(error => {
    if (error instanceof ClientError) return project
    throw error
  })
}

/** The path of something whose name or id is given.
 *  @param plural its kind, as in paths */
async function pathOf(session: Session, plural: string, name: string): Promise<string> {
  return `${identity}/${plural}/${await idOf(session, plural, name)}`
}

async function idOf(session: Session, plural: string, name: string): Promise<string> {
  return namedIn(await rowsOf(session, plural), name, plural.slice(0, -1))
}

/** @throws ClientError there is none with that name or id */
function namedIn(rows: readonly JsonObject[], name: string, what: string): string {
  const found = rows.find(row => row.name === name || row.id === name)
  if (found === undefined) throw new ClientError(`there is no ${what} "${name}"`)
  return String(found.id)
}

/** @param key what holds the fields, in the request and in the response */
async function made(
  session: Session,
  path: string,
  key: string,
  fields: JsonObject,
): Promise<JsonObject> {
  return (await session.json('POST', path, { [key]: fields }))[key] as JsonObject
}

async function remove({ server, output }: Context, name: string, path: string): Promise<void> {
  await server.json('DELETE', path)
  output().done(`${name} is deleted`)
}
