import { createHash, type X509Certificate } from 'node:crypto'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'

/** The proven identity of a client over TLS. It can be sent to another thread. */
export type ClientCertificate = {
  /** SHA-256 of its public key, in base64. */
  readonly sha256: string
  /** Its names as certified by an authority that we trust, in lower case; empty if there is none. */
  readonly names: readonly string[]
}

/** The certificate that a client presented in the completed handshake; undefined if it had none. */
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

/** OpenSSL's verification result of the chain, obtained in the same way as by `tls.Server`. */
function verifyErrorOf(socket: TLSSocket): Error | null {
  const { _handle: handle } = socket as unknown as {
    readonly _handle?: { verifyError(): Error | null } | null
  }
  return handle ? handle.verifyError() : new Error('the connection is closed')
}

/** The DNS names of a certificate. Node quotes names with other characters, and a quoted name matches nothing here. */
function namesIn({ subjectAltName = '' }: X509Certificate): string[] {
  return subjectAltName
    .split(', ')
    .flatMap(part => /^DNS:([\w.-]+)$/.exec(part)?.[1]?.toLowerCase() ?? [])
}
