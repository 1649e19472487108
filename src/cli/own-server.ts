import { type AdminProof, type RunningServer, ServerUnavailableError } from '../api/ask-server.ts'
import { keptPassword } from '../app/data-directory.ts'
import type { Config } from '../config/config.ts'
import { adminName } from '../model/identity.ts'
import { formatAddress } from '../transport/listen-error.ts'

// How a command reaches the server that has the same settings, and the store open.

/** Where the server of these settings is, and what lets the administrator in.
 *  @throws ServerUnavailableError nothing is set that the server would let in, or its port is not known */
export function ownServer(config: Config): RunningServer {
  const url = `http://${formatAddress(reachable(config.apiListen))}`
  return { url, proof: proofFrom(config, url) }
}

/** Where a server is reached from its own machine that listens on all addresses. */
function reachable({ host, port }: Config['apiListen']): Config['apiListen'] {
  if (host === '0.0.0.0') return { host: '127.0.0.1', port }
  return host === '::' ? { host: '::1', port } : { host, port }
}

function proofFrom({ adminToken, adminPassword, ...config }: Config, url: string): AdminProof {
  if (config.apiListen.port === 0) {
    throw new ServerUnavailableError(
      'a server has the store open, and ZONEWRIGHT_API_LISTEN does not say at which port: set it, or stop the server',
    )
  }
  if (adminToken !== undefined) return { kind: 'token', token: adminToken }
  const password = adminPassword ?? keptPassword(config.dataDir)
  if (password !== undefined && config.keystone === undefined) {
    return { kind: 'password', user: adminName, password }
  }
  if (config.allowsNoAuth) return { kind: 'none' }
  throw new ServerUnavailableError(
    `a server has the store open and must be asked at ${url}: set ZONEWRIGHT_ADMIN_TOKEN or ZONEWRIGHT_ADMIN_PASSWORD as the server has it, or stop the server`,
  )
}
