import { once } from 'node:events'
import { isIP, type Socket } from 'node:net'
import { connect, getCACertificates, type TLSSocket } from 'node:tls'
import type { MasterTls } from '../../zone/transfer-in.ts'
import { publicKeyPin } from '../tls-client.ts'
import { dotProtocols, type TlsCredentials } from '../tls-gate.ts'

/** What is offered over TLS is not from whom it should be. */
export class UnknownMasterError extends Error {
  override readonly name = 'UnknownMasterError'
}

export type TlsOptions = {
  readonly tls: MasterTls
  /** What this server shows where a master asks who it is. */
  readonly own: TlsCredentials | undefined
  /** Of the stream. */
  readonly readableHighWaterMark: number
}

/** Puts TLS over a connection that is there, and returns it once the master is known.
 *  @throws UnknownMasterError; Error with a code of OpenSSL */
export async function overTls(
  socket: Socket,
  { tls, own, readableHighWaterMark }: TlsOptions,
): Promise<TLSSocket> {
  const isNamed = tls.kind === 'name'
  const secure = connect({
    socket,
    // RFC 9103 section 8.1: TLS 1.3 and the token of DNS over TLS.
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
      throw new UnknownMasterError('its public key is not the one that is pinned')
    }
    return secure
  } catch (error) {
    secure.destroy()
    throw error
  }
}

/** Those of the machine, which its administrator adds to, and those of Node.js. */
function authorities(): string[] {
  return [...getCACertificates('system'), ...getCACertificates('default')]
}

function pinOf(secure: TLSSocket): string | undefined {
  const certificate = secure.getPeerX509Certificate()
  return certificate && publicKeyPin(certificate)
}
