import { constants } from 'node:crypto'
import type { Socket } from 'node:net'
import { createSecureContext, type SecureContext, TLSSocket } from 'node:tls'
import { countTls, type TlsCounts } from './tls-counters.ts'

/** A certificate, with those that lead to its authority behind it, its private key, and the certificates of the authorities
 *  that clients may be known by: all PEM. */
export type TlsCredentials = {
  readonly certificate: string
  readonly key: string
  readonly clientCa?: string
}

/** RFC 7858 section 3.2 and RFC 8310 section 9 ask for what RFC 9325 recommends: TLS 1.2 and above, keys agreed upon
 *  afresh for each session, and no cipher that needs a separate checksum. */
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

/** RFC 7858 section 3.1 has the name registered for ALPN; clients that offer nothing are welcome all the same. */
export const dotProtocols = ['dot']

/** The key that session tickets are sealed with is as old as the context. Whoever learns it can read the sessions of
 *  TLS 1.2 that went on from a ticket, so none lives for long (RFC 9325 section 3.4). */
const contextLifeMs = 24 * 3_600_000

/** What clients are offered, and nothing else.
 *  @throws Error OpenSSL refuses the certificate or the key. */
export function secureContextFor({ certificate, key, clientCa }: TlsCredentials): SecureContext {
  return createSecureContext({
    cert: certificate,
    key,
    // The authorities of the machine vouch for servers of anybody.
    ca: clientCa ?? [],
    // OpenSSL takes up no session without it where it asks for certificates.
    sessionIdContext: 'zonewright',
    minVersion: 'TLSv1.2',
    ciphers,
    honorCipherOrder: true,
    // RFC 9325 section 3.5: nothing in DNS asks for another handshake in the midst of a session.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  })
}

/** Puts TLS over the connections that come to one server, with the certificate that is valid at the time. */
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

  /** Who connects from now on is shown this certificate. Sessions under way stay as they are.
   *  @throws Error OpenSSL refuses it; the former stays. */
  renew(credentials: TlsCredentials): void {
    this.#context = secureContextFor(credentials)
    this.#credentials = credentials
    this.#contextSinceMs = performance.now()
  }

  countResponse(): void {
    countTls(this.#counts, 'responseCount')
  }

  /** Returns what is readable and writable in the clear. It emits `secure` once, when the handshake is done; where that
   *  fails it is destroyed and takes `socket` along. It owns `socket` from here on. Of `protocols` (ALPN) the first that
   *  the client knows is spoken. Clients of DNS over TLS are asked for a certificate (RFC 9103 section 9.3.3), and need have none;
   *  browsers would show that to people.
   *
   *  `secure` and `_tlsError` are what `tls.Server` itself goes by. Letting that make the socket would give it away only
   *  after the handshake, and a connection must have its place and its deadline before. */
  open(socket: Socket, protocols: readonly string[] = dotProtocols): TLSSocket {
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
    // A record that was forged or is none of ours. Without this the socket would stay until its deadline.
    secure.on('_tlsError', () => secure.destroy())
    secure.once('close', () => {
      if (!isSecure) countTls(this.#counts, 'failedCount')
    })
    // What goes wrong below comes out above. Should it ever not, an error that nobody hears would end the program.
    socket.on('error', () => secure.destroy())
    return secure
  }

  #freshContext(): SecureContext {
    if (performance.now() - this.#contextSinceMs > contextLifeMs) this.renew(this.#credentials)
    return this.#context
  }
}
