import { createHash, type X509Certificate } from 'node:crypto'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'

/** Who a client over TLS has proven to be. It can be sent to another thread. */
export type ClientCertificate = {
  /** Of its public key, in base64. */
  readonly sha256: string
  /** What an authority of ours says that it is called, in lower case; empty where none does. */
  readonly names: readonly string[]
}

/** What a client has shown in the handshake, which is over; undefined without a certificate. */
export function clientCertificateOf(socket: Socket): ClientCertificate | undefined {
  if (!(socket instanceof TLSSocket)) return undefined
  const certificate = socket.getPeerX509Certificate()
  if (certificate === undefined) return undefined
  const isVouchedFor = verifyErrorOf(socket) === null
  return { sha256: publicKeyPin(certificate), names: isVouchedFor ? namesIn(certificate) : [] }
}

/** The SHA-256 of a public key, in base64 (RFC 7858 section 4.2). */
export function publicKeyPin({ publicKey }: X509Certificate): string {
  const key = publicKey.export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(key).digest('base64')
}

/** What OpenSSL thinks of the chain: `tls.Server` itself asks for it here. */
function verifyErrorOf(socket: TLSSocket): Error | null {
  const { _handle: handle } = socket as unknown as {
    readonly _handle?: { verifyError(): Error | null } | null
  }
  return handle ? handle.verifyError() : new Error('the connection is closed')
}

/** The DNS names that it is for. Node quotes names of other characters, and what stands between those quotes matches
 *  nothing here. */
function namesIn({ subjectAltName = '' }: X509Certificate): string[] {
  return subjectAltName
    .split(', ')
    .flatMap(part => /^DNS:([\w.-]+)$/.exec(part)?.[1]?.toLowerCase() ?? [])
}
