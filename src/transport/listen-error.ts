import { formatHostPort } from '../host-port.ts'
import type { Transport } from '../nameserver/request.ts'
import { OperatorError } from '../operator-error.ts'
import type { ListenAddress } from './answer.ts'

/** The protocol of a listener; `http` is the API, and `metrics` HTTP at an address of its own. */
type Listened = Transport | 'tls' | 'https' | 'http' | 'metrics'

/** A socket could not be opened. The message names the address, the cause and the remedy, for the operator who
 *  starts the server. */
export class ListenError extends OperatorError {
  /** The system's code, such as `EADDRINUSE`. */
  readonly code: string
  /** The message where the address comes from `setting` instead of the server's settings. */
  readonly messageFor: (setting: string) => string

  constructor(address: ListenAddress, transport: Listened, cause: unknown) {
    const code = codeOf(cause)
    const explanation = explanations[code] ?? { cause: messageOf(cause), remedy: otherAddress }
    const place = `${formatHostPort(address)} (${transport.toUpperCase()})`
    const messageFor = (setting: string): string =>
      `cannot listen on ${place}: ${explanation.cause}. ${explanation.remedy(setting)}`
    super(messageFor(settings[transport]), { cause })
    this.code = code
    this.messageFor = messageFor
  }
}

/** The settings that define where to listen. */
const settings: Readonly<Record<Listened, string>> = {
  udp: 'ZONEWRIGHT_DNS_LISTEN',
  tcp: 'ZONEWRIGHT_DNS_LISTEN',
  tls: 'ZONEWRIGHT_DNS_TLS_LISTEN',
  https: 'ZONEWRIGHT_DNS_HTTPS_LISTEN',
  http: 'ZONEWRIGHT_API_LISTEN',
  metrics: 'ZONEWRIGHT_METRICS_LISTEN',
}

type Explanation = { readonly cause: string; readonly remedy: (setting: string) => string }

const otherAddress: Explanation['remedy'] = setting => `Set ${setting} to another address.`

const explanations: Readonly<Record<string, Explanation>> = {
  EADDRINUSE: {
    cause: 'another program has the port',
    remedy: setting => `Stop that program, or set ${setting} to another port.`,
  },
  EACCES: {
    cause: 'not permitted, as ports below 1024 are privileged',
    remedy: setting => `Grant CAP_NET_BIND_SERVICE, or set ${setting} to a port of 1024 or above.`,
  },
  EADDRNOTAVAIL: { cause: 'this machine does not have the address', remedy: otherAddress },
  EAFNOSUPPORT: {
    cause: 'this machine does not speak the address family',
    remedy: setting => `Take the address out of ${setting}.`,
  },
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : 'UNKNOWN'
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}
