import { isIPv4, isIPv6 } from 'node:net'
import type { FieldError } from '../errors.ts'
import { hostNameProblem } from './host-name.ts'
import { quote } from './quote.ts'

/** A server on the network: an address or a host name, and a port. */
export type Endpoint = { readonly host: string; readonly port: number }

/** Where a SECONDARY zone is transferred from, and how the master is known where that is over TLS (RFC 9103). */
export type Master = Endpoint & { readonly tls?: MasterTls }

/** By a certificate for a name, by the SHA-256 of its public key in base64, or not at all. */
export type MasterTls =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'pin'; readonly sha256: string }
  | { readonly kind: 'anyone' }

const dnsPort = 53
const tlsPort = 853
const pinPrefix = 'sha256='
const anyone = 'tls'

/** Reads an endpoint, of port 53 unless it has one, with `#` and how the master is known behind it where that is over TLS,
 *  of port 853 then: `#ns1.example.net`, `#sha256=…`, or `#tls` for anyone. Undefined when it is none of them. */
export function parseMaster(text: string): Master | undefined {
  const [server = '', ...known] = text.split('#')
  if (known.length === 0) return parseEndpoint(server)
  const endpoint = parseEndpoint(server, tlsPort)
  const tls = parseTls(known.join('#'))
  return endpoint && tls && { ...endpoint, tls }
}

/** Reads `host`, `host:port`, `[IPv6]` or `[IPv6]:port`; undefined when it is none of them. */
export function parseEndpoint(text: string, defaultPort = dnsPort): Endpoint | undefined {
  const parts = /^(?:\[(?<literal>[^\]]*)\]|(?<plain>[^:[\]]+))(?::(?<port>\d{1,5}))?$/.exec(text)
  const { literal, plain, port: portText } = parts?.groups ?? {}
  const port = portText === undefined ? defaultPort : Number(portText)
  if (port < 1 || port > 65_535) return undefined
  if (literal !== undefined) return isIPv6(literal) ? { host: literal, port } : undefined
  if (plain === undefined || hostNameProblem(withFinalDot(plain)) !== undefined) return undefined
  // No name ends in a number (RFC 1123 section 2.1), so this is an address that was mistyped.
  if (/(?:^|\.)\d+\.?$/.test(plain) && !isIPv4(plain)) return undefined
  return { host: plain, port }
}

/** Reads how a server is known by its certificate: a host name, or `sha256=` and the hash of its public key; `tls`: anyone. */
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

/** A master that a project may not have asked: one reason for all there are. */
export function refusedMaster(index: number, master: string): FieldError {
  return {
    path: ['masters', index],
    message: `${quote(master)} is not a public address: an administrator can set it, or allow its network`,
    validator: 'not',
  }
}

function withFinalDot(name: string): string {
  return name.endsWith('.') ? name : `${name}.`
}

function errorAt(index: number, master: string): FieldError {
  return {
    path: ['masters', index],
    message: `${quote(master)} is not a 'host[:port]', with an IPv6 address in brackets, or of that with '#' and a name, 'sha256=…' or 'tls'`,
    validator: 'format',
    validator_value: 'host[:port]',
  }
}
