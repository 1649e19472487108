import { once } from 'node:events'
import { isIP, type Socket } from 'node:net'
import { connect, getCACertificates, type TLSSocket } from 'node:tls'
import type { MasterTls } from '../../zone/transfer-in.ts'
import { publicKeyPin } from '../tls-client.ts'
import { dotProtocols, type TlsCredentials } from '../tls-gate.ts'

export type TlsOptions = {
  readonly tls: MasterTls
  /** The certificate of this server, if a master requests one. */
  readonly own: TlsCredentials | undefined
  /** The stream option. */
  readonly readableHighWaterMark: number
}

/** Puts TLS over an open connection, and returns it once the master is authenticated.
 *  @throws Error the peer is not the expected master; with a code of OpenSSL where that finds it */
export async function overTls(
  socket: Socket,
  { tls, own, readableHighWaterMark }: TlsOptions,
): Promise<TLSSocket> {
  const isNamed = tls.kind === 'name'
  const secure = connect({
    socket,
    // RFC 9103 section 8.1: TLS 1.3 and the ALPN token of DNS over TLS.
    minVersion: 'TLSv1.3',
    ALPNProtocols: dotProtocols,
    rejectUnauthorized: isNamed,
    ...(isNamed && { host: tls.name, ca: authorities() }),
    ...(isNamed && isIP(tls.name) === 0 && { servername: tls.name }),
    ...(own && { cert: own.certificate, key: own.key }),
    ...{ readableHighWaterMark },
  })
  secure.on('error', () => undefined)
  try {
    await once(secure, 'secureConnect')
    if (tls.kind === 'pin' && pinOf(secure) !== tls.sha256) {
      throw new Error('its public key is not the one that is pinned')
    }
    return secure
  } catch (error) {
    secure.destroy()
    throw error
  }
}

/** The authorities of the system, to which its administrator can add, and those of Node.js. */
function authorities(): string[] {
  return [...getCACertificates('system'), ...getCACertificates('default')]
}

function pinOf(secure: TLSSocket): string | undefined {
  const certificate = secure.getPeerX509Certificate()
  return certificate && publicKeyPin(certificate)
}
