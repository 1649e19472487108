import { constants } from 'node:crypto'
import type { Socket } from 'node:net'
import { createSecureContext, type SecureContext, TLSSocket } from 'node:tls'
import { countTls, type TlsCounts } from './tls-counters.ts'

/** A certificate followed by its chain, its private key, and the certificates of the authorities that authenticate
 *  clients: all PEM. */
export type TlsCredentials = {
  readonly certificate: string
  readonly key: string
  readonly clientCa?: string
}

/** RFC 7858 section 3.2 and RFC 8310 section 9 require what RFC 9325 recommends: TLS 1.2 and above, ephemeral key
 *  exchange for each session, and only AEAD ciphers. */
const ciphers = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':')

/** RFC 7858 section 3.1 registers this name for ALPN; clients that offer no ALPN are accepted as well. */
export const dotProtocols = ['dot']

/** The key that encrypts session tickets is as old as the context. Anyone who learns it can read TLS 1.2 sessions that
 *  were resumed from a ticket, so no context is used for long (RFC 9325 section 3.4). */
const contextLifeMs = 24 * 3_600_000

/** Everything that clients are offered.
 *  @throws Error OpenSSL refuses the certificate or the key. */
export function secureContextFor({ certificate, key, clientCa }: TlsCredentials): SecureContext {
  return createSecureContext({
    cert: certificate,
    key,
    // The system's authorities certify servers of anyone.
    ca: clientCa ?? [],
    // Without it OpenSSL resumes no session if it requests certificates.
    sessionIdContext: 'zonewright',
    minVersion: 'TLSv1.2',
    ciphers,
    honorCipherOrder: true,
    // RFC 9325 section 3.5: DNS never needs renegotiation within a session.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  })
}

/** Puts TLS over the connections to one server, with the current certificate. */
export class TlsGate {
  readonly #counts: TlsCounts
  #credentials: TlsCredentials
  #context: SecureContext
  #contextSinceMs = performance.now()

  /** @throws Error OpenSSL refuses the certificate or the key. */
  constructor(credentials: TlsCredentials, counts: TlsCounts) {
    this.#counts = counts
    this.#credentials = credentials
    this.#context = secureContextFor(credentials)
  }

  /** Uses this certificate for new connections. Existing sessions are not affected.
   *  @throws Error OpenSSL refuses it; the former stays. */
  renew(credentials: TlsCredentials): void {
    this.#context = secureContextFor(credentials)
    this.#credentials = credentials
    this.#contextSinceMs = performance.now()
  }

  countResponse(): void {
    countTls(this.#counts, 'responseCount')
  }

  /** Returns a socket that is read and written in the clear. It owns `socket` from here on and emits `secure` once, when the
   *  handshake is done; if the handshake fails, both are destroyed. The first of `protocols` (ALPN) that the client knows
   *  is used. Clients of DNS over TLS are asked for an optional certificate (RFC 9103 section 9.3.3); browsers are not,
   *  since they would show the request to users.
   *
   *  `tls.Server` itself relies on `secure` and `_tlsError`. It would return the socket only after the handshake, but a
   *  connection must have its place and its deadline before. */
  open(socket: Socket, protocols: readonly string[]): TLSSocket {
    const secure = new TLSSocket(socket, {
      isServer: true,
      secureContext: this.#freshContext(),
      ALPNProtocols: [...protocols],
      requestCert: protocols === dotProtocols,
      rejectUnauthorized: false,
    })
    let isSecure = false
    secure.once('secure', () => {
      isSecure = true
      countTls(this.#counts, 'handshakeCount')
      if (secure.isSessionReused()) countTls(this.#counts, 'resumedCount')
    })
    // A forged or invalid record. Without this the socket would stay open until its deadline.
    secure.on('_tlsError', () => secure.destroy())
    secure.once('close', () => {
      if (!isSecure) countTls(this.#counts, 'failedCount')
    })
    // Errors of the lower socket surface on the upper one. If one ever does not, an unhandled error would end the process.
    socket.on('error', () => secure.destroy())
    return secure
  }

  #freshContext(): SecureContext {
    if (performance.now() - this.#contextSinceMs > contextLifeMs) this.renew(this.#credentials)
    return this.#context
  }
}
