import { isIPv4, isIPv6 } from 'node:net'
import type { FieldError } from '../errors.ts'
import { hostNameProblem } from './host-name.ts'
import { quote } from './quote.ts'
import { withFinalDot } from './zone-name.ts'

/** A server on the network: an address or a host name, and a port. */
export type Endpoint = { readonly host: string; readonly port: number }

/** A server that a SECONDARY zone is transferred from, and how it is authenticated over TLS (RFC 9103), if used. */
export type Master = Endpoint & { readonly tls?: MasterTls }

/** Authentication by a certificate for a name, by the SHA-256 of its public key in base64, or none. */
export type MasterTls =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'pin'; readonly sha256: string }
  | { readonly kind: 'anyone' }

const dnsPort = 53
const tlsPort = 853
const pinPrefix = 'sha256='
const anyone = 'tls'

/** Parses an endpoint, for TLS followed by `#` and how the master is authenticated: `#ns1.example.net`, `#sha256=…`, or
 *  `#tls` for any certificate. The default port is 53, with TLS 853. Undefined when it is none of them. */
export function parseMaster(text: string): Master | undefined {
  const [server = '', ...known] = text.split('#')
  if (known.length === 0) return parseEndpoint(server)
  const endpoint = parseEndpoint(server, tlsPort)
  const tls = parseTls(known.join('#'))
  return endpoint && tls && { ...endpoint, tls }
}

/** Parses `host`, `host:port`, `[IPv6]` or `[IPv6]:port`; undefined when it is none of them. */
export function parseEndpoint(text: string, defaultPort = dnsPort): Endpoint | undefined {
  const parts = /^(?:\[(?<literal>[^\]]*)\]|(?<plain>[^:[\]]+))(?::(?<port>\d{1,5}))?$/.exec(text)
  const { literal, plain, port: portText } = parts?.groups ?? {}
  const port = portText === undefined ? defaultPort : Number(portText)
  if (port < 1 || port > 65_535) return undefined
  if (literal !== undefined) return isIPv6(literal) ? { host: literal, port } : undefined
  if (plain === undefined || hostNameProblem(withFinalDot(plain)) !== undefined) return undefined
  // No name ends in a number (RFC 1123 section 2.1), so this is a mistyped address.
  if (/(?:^|\.)\d+\.?$/.test(plain) && !isIPv4(plain)) return undefined
  return { host: plain, port }
}

/** Parses how a server is authenticated: by a host name, or `sha256=` and the hash of its public key; `tls`: not at all. */
export function parseTls(text: string): MasterTls | undefined {
  if (text === anyone) return { kind: 'anyone' }
  if (text.startsWith(pinPrefix)) {
    const sha256 = text.slice(pinPrefix.length)
    const isHash =
      Buffer.from(sha256, 'base64').toString('base64') === sha256 && sha256.length === 44
    return isHash ? { kind: 'pin', sha256 } : undefined
  }
  const name = text.replace(/\.$/, '')
  if (isIPv4(name) || isIPv6(name)) return { kind: 'name', name }
  return hostNameProblem(`${name}.`) === undefined ? { kind: 'name', name } : undefined
}

/** Checks the form of each master. */
export function masterErrors(masters: readonly string[]): FieldError[] {
  return masters.flatMap((master, i) =>
    parseMaster(master) === undefined ? [errorAt(i, master)] : [],
  )
}

/** The error for a master that a project may not name: the same message for every cause. */
export function refusedMaster(index: number, master: string): FieldError {
  return {
    path: ['masters', index],
    message: `${quote(master)} is not a public address: an administrator can set it, or allow its network`,
    validator: 'not',
  }
}

function errorAt(index: number, master: string): FieldError {
  return {
    path: ['masters', index],
    message: `${quote(master)} is not a 'host[:port]', with an IPv6 address in brackets, or of that with '#' and a name, 'sha256=…' or 'tls'`,
    validator: 'format',
    validator_value: 'host[:port]',
  }
}
