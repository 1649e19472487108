import { join } from 'node:path'
import { parse } from 'yaml'
import { ClientError, exitCodes } from './client-error.ts'
import { type SecretReader, secretOf } from './secret.ts'
import { reach, type Server } from './session.ts'

// Determines the server and the credentials: as OpenStack clients do (clouds.yaml, OS_*), by --url and --token, or the
// server with the settings of this machine.

export type Environment = Readonly<Record<string, string | undefined>>

type CredentialOptions = {
  readonly url?: string | undefined
  readonly token?: string | undefined
  readonly osCloud?: string | undefined
  /** The settings file of the server on this machine. */
  readonly config?: string | undefined
}

export type CredentialSources = {
  readonly environment: Environment
  /** The text of a file; undefined where there is none. */
  readonly readFile: (path: string) => string | undefined
  readonly readText: SecretReader
  /** The server with the settings of this machine. */
  readonly ownServer: (configPath: string | undefined) => OwnServer
}

/** The server on this machine, and its credentials; neither token nor login where it requires none. */
export type OwnServer = {
  readonly url: string
  readonly token?: string
  readonly login?: Login
}

/** The credentials for an identity service, and the region whose server is meant. */
export type Login = {
  readonly auth_url?: string
  readonly username?: string
  readonly user_id?: string
  readonly password?: string
  readonly project_name?: string
  readonly project_id?: string
  readonly user_domain_name?: string
  readonly user_domain_id?: string
  readonly project_domain_name?: string
  readonly project_domain_id?: string
  readonly region_name?: string
  readonly application_credential_id?: string
  readonly application_credential_secret?: string
  readonly token?: string
}

/** Finds the server and logs in.
 *  @throws ClientError the address of the server is not known, or it refuses the login */
export async function findServer(
  options: CredentialOptions,
  sources: CredentialSources,
): Promise<Server> {
  const { environment } = sources
  const { url } = options
  const token = await secretOf('token', options, sources.readText)
  if (url !== undefined)
    return {
      url: url.replace(/\/+$/, ''),
      headers: token === undefined ? {} : { 'x-auth-token': token },
    }
  const cloud = options.osCloud ?? environment.OS_CLOUD
  if (cloud !== undefined && cloud !== '') return logIn(cloudNamed(cloud, sources))
  if (environment.OS_AUTH_URL) return logIn(loginFrom(environment))
  const own = sources.ownServer(options.config)
  return enter(token === undefined ? own : { ...own, token })
}

/** Logs in to the server on this machine, unless there is a token or it requires none.
 *  @throws ClientError it refuses the login */
export async function enter({ url, token, login }: OwnServer): Promise<Server> {
  if (token !== undefined) return { url, headers: { 'x-auth-token': token } }
  if (login === undefined) return { url, headers: {} }
  // The catalog may have the address at which others reach the server.
  return { ...(await logIn(login)), url }
}

function loginFrom(environment: Environment): Login {
  const given = Object.entries(environment).filter(
    ([name, value]) => name.startsWith('OS_') && value,
  )
  return Object.fromEntries(given.map(([name, value]) => [name.slice(3).toLowerCase(), value]))
}

type Cloud = { readonly auth?: Login; readonly region_name?: string }

function cloudNamed(cloud: string, { environment, readFile }: CredentialSources): Login {
  const home = environment.HOME ?? '/'
  const paths = environment.OS_CLIENT_CONFIG_FILE
    ? [environment.OS_CLIENT_CONFIG_FILE]
    : ['clouds.yaml', join(home, '.config/openstack/clouds.yaml'), '/etc/openstack/clouds.yaml']
  for (const path of paths) {
    const text = readFile(path)
    if (text === undefined) continue
    const file = parse(text) as { clouds?: Record<string, Cloud> } | null
    const { auth, region_name = environment.OS_REGION_NAME } = file?.clouds?.[cloud] ?? {}
    if (auth !== undefined) return { ...auth, ...(region_name && { region_name }) }
  }
  throw new ClientError(`no cloud "${cloud}" in ${paths.join(', ')}`, exitCodes.config)
}

async function logIn(login: Login): Promise<Server> {
  const { auth_url: authUrl } = login
  if (authUrl === undefined) throw new ClientError('the cloud has no auth_url', exitCodes.config)
  const root = authUrl.replace(/\/+$/, '').replace(/\/v3$/, '')
  const response = await reach(root, () =>
    fetch(`${root}/v3/auth/tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ auth: authOf(login) }),
    }),
  )
  const text = await response.text()
  const token = response.headers.get('x-subject-token')
  if (!response.ok || token === null)
    throw new ClientError(`${root} refuses the login: ${response.status}`, exitCodes.notPermitted)
  const designateUrl = designateUrlIn(JSON.parse(text), login.region_name)
  const url = designateUrl.replace(/\/dns$/, '')
  return { url, designateUrl, headers: { 'x-auth-token': token } }
}

function authOf(login: Login): unknown {
  const { application_credential_id: id, application_credential_secret: secret } = login
  if (id !== undefined)
    return {
      identity: { methods: ['application_credential'], application_credential: { id, secret } },
    }
  const scope = {
    project: named(login.project_id, login.project_name, {
      domain: named(login.project_domain_id, login.project_domain_name ?? 'Default'),
    }),
  }
  if (login.token !== undefined)
    return { identity: { methods: ['token'], token: { id: login.token } }, scope }
  const user = named(login.user_id, login.username, {
    domain: named(login.user_domain_id, login.user_domain_name ?? 'Default'),
  })
  const { password } = login
  return { identity: { methods: ['password'], password: { user: { ...user, password } } }, scope }
}

/** Something by its id, or by its name within something else. */
function named(id: string | undefined, name: string | undefined, within: object = {}): object {
  return id === undefined ? { name, ...within } : { id }
}

type TokenBody = {
  readonly token?: {
    readonly catalog?: readonly {
      readonly type: string
      readonly endpoints: readonly {
        readonly interface: string
        readonly region: string
        readonly url: string
      }[]
    }[]
  }
}

/** The endpoint in the catalog is that of Designate's paths, `…/dns`; ours are beside them. */
function designateUrlIn({ token }: TokenBody, region: string | undefined): string {
  const endpoints = token?.catalog?.find(({ type }) => type === 'dns')?.endpoints ?? []
  const url = endpoints.find(
    each => each.interface === 'public' && (region === undefined || each.region === region),
  )?.url
  if (url === undefined) {
    const where = region === undefined ? '' : ` in the region ${region}`
    throw new ClientError(`the catalog of the login has no dns service${where}`, exitCodes.config)
  }
  return url.replace(/\/+$/, '')
}
