import { keptPassword } from '../app/data-directory.ts'
import type { OwnServer } from '../client/credentials.ts'
import type { Config } from '../config/config.ts'
import { formatHostPort } from '../host-port.ts'
import { adminName } from '../model/identity.ts'
import { OperatorError } from '../operator-error.ts'

// How a command reaches the server with the same settings, which has the store open.

/** A running server could not be asked for something. */
export class ServerUnavailableError extends OperatorError {}

/** The address of the server with these settings, and the credentials of the administrator.
 *  @throws ServerUnavailableError no credentials are set that the server would accept, or its port is not known */
export function ownServer(config: Config): OwnServer {
  const url = `http://${formatHostPort(reachable(config.apiListen))}`
  return { url, ...credentialsIn(config, url) }
}

/** The address at which a server is reached from its own machine, also where it listens on all addresses. */
function reachable({ host, port }: Config['apiListen']): Config['apiListen'] {
  if (host === '0.0.0.0') return { host: '127.0.0.1', port }
  return host === '::' ? { host: '::1', port } : { host, port }
}

function credentialsIn(
  { adminToken, adminPassword, ...config }: Config,
  url: string,
): Omit<OwnServer, 'url'> {
  if (config.apiListen.port === 0) {
    throw new ServerUnavailableError(
      'the server on this machine must be asked, and ZONEWRIGHT_API_LISTEN does not say at which port it is: set it',
    )
  }
  if (adminToken !== undefined) return { token: adminToken }
  const password = adminPassword ?? keptPassword(config.dataDir)
  if (password !== undefined && config.keystone === undefined) {
    const auth_url = `${url}/identity`
    return { login: { auth_url, username: adminName, password, project_name: adminName } }
  }
  if (config.allowsNoAuth) return {}
  throw new ServerUnavailableError(
    `the server at ${url} must be asked, and these settings have no credentials for it: set ZONEWRIGHT_ADMIN_TOKEN or ZONEWRIGHT_ADMIN_PASSWORD, and ZONEWRIGHT_DATA_DIR, as the server has them`,
  )
}
