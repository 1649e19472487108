import { join } from 'node:path'
import { parse } from 'yaml'
import { ClientError, exitCodes } from './client-error.ts'
import type { Server } from './session.ts'

// Determines the server and the credentials: as OpenStack clients do (clouds.yaml, OS_*), by --url and --token, or the
// server with the settings of this machine.

export type Environment = Readonly<Record<string, string | undefined>>

export type CredentialOptions = {
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
  /** The server with the settings of this machine. */
  readonly ownServer: (configPath: string | undefined) => OwnServer
}

/** The server on this machine, and its credentials; neither token nor login where it requires none. */
export type OwnServer = {
  readonly url: string
  readonly token?: string
  readonly login?: Login
}

/** The credentials for an identity service. */
export type Login = {
  readonly auth_url?: string
  readonly username?: string
  readonly password?: string
  readonly project_name?: string
  readonly project_id?: string
  readonly user_domain_name?: string
  readonly project_domain_name?: string
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
  const { url, token } = options
  if (url !== undefined)
    return {
      url: url.replace(/\/+$/, ''),
      headers: token === undefined ? {} : { 'x-auth-token': token },
    }
  const cloud = options.osCloud ?? environment.OS_CLOUD
  if (cloud !== undefined && cloud !== '') return logIn(cloudNamed(cloud, sources))
  if (environment.OS_AUTH_URL) return logIn(loginFrom(environment))
  return ownServer(sources.ownServer(options.config), token)
}

async function ownServer(own: OwnServer, given: string | undefined): Promise<Server> {
  const { url, login } = own
  const token = given ?? own.token
  if (token !== undefined) return { url, headers: { 'x-auth-token': token } }
  if (login === undefined) return { url, headers: {} }
  // The catalog may have the address at which others reach the server.
  return { ...(await logIn(login)), url }
}

function loginFrom(environment: Environment): Login {
  const names = Object.entries(environment).filter(([name]) => name.startsWith('OS_'))
  return Object.fromEntries(names.map(([name, value]) => [name.slice(3).toLowerCase(), value]))
}

function cloudNamed(cloud: string, { environment, readFile }: CredentialSources): Login {
  const home = environment.HOME ?? '/'
  const paths = environment.OS_CLIENT_CONFIG_FILE
    ? [environment.OS_CLIENT_CONFIG_FILE]
    : ['clouds.yaml', join(home, '.config/openstack/clouds.yaml'), '/etc/openstack/clouds.yaml']
  for (const path of paths) {
    const text = readFile(path)
    if (text === undefined) continue
    const file = parse(text) as { clouds?: Record<string, { auth?: Login }> } | null
    const auth = file?.clouds?.[cloud]?.auth
    if (auth !== undefined) return auth
  }
  throw new ClientError(`no cloud "${cloud}" in ${paths.join(', ')}`, exitCodes.config)
}

async function logIn(login: Login): Promise<Server> {
  const { auth_url: authUrl } = login
  if (authUrl === undefined) throw new ClientError('the cloud has no auth_url', exitCodes.config)
  const root = authUrl.replace(/\/+$/, '').replace(/\/v3$/, '')
  const response = await fetch(`${root}/v3/auth/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ auth: authOf(login) }),
  }).catch(cause => {
    throw new ClientError(`${root} does not answer`, exitCodes.unreachable, { cause })
  })
  const text = await response.text()
  const token = response.headers.get('x-subject-token')
  if (!response.ok || token === null)
    throw new ClientError(`${root} refuses the login: ${response.status}`, exitCodes.notPermitted)
  const designateUrl = designateUrlIn(JSON.parse(text))
  const url = designateUrl.replace(/\/dns$/, '')
  return { url, designateUrl, headers: { 'x-auth-token': token } }
}

function authOf(login: Login): unknown {
  const { application_credential_id: id, application_credential_secret: secret } = login
  if (id !== undefined)
    return {
      identity: { methods: ['application_credential'], application_credential: { id, secret } },
    }
  const domain = { name: login.project_domain_name ?? 'Default' }
  const project =
    login.project_id === undefined ? { name: login.project_name, domain } : { id: login.project_id }
  const scope = { project }
  if (login.token !== undefined)
    return { identity: { methods: ['token'], token: { id: login.token } }, scope }
  const user = {
    name: login.username,
    password: login.password,
    domain: { name: login.user_domain_name ?? 'Default' },
  }
  return { identity: { methods: ['password'], password: { user } }, scope }
}

type TokenBody = {
  readonly token?: {
    readonly catalog?: readonly {
      readonly type: string
      readonly endpoints: readonly { readonly interface: string; readonly url: string }[]
    }[]
  }
}

/** The endpoint in the catalog is that of Designate's paths, `…/dns`; ours are beside them. */
function designateUrlIn({ token }: TokenBody): string {
  const endpoints = token?.catalog?.find(({ type }) => type === 'dns')?.endpoints ?? []
  const url = endpoints.find(endpoint => endpoint.interface === 'public')?.url
  if (url === undefined)
    throw new ClientError('the catalog of the login has no dns service', exitCodes.config)
  return url.replace(/\/+$/, '')
}
