import { networkInterfaces } from 'node:os'
import { formatIpv4, parseIpv4 } from '../../dns/rdata/fields/ipv4.ts'
import { formatIpv6, parseIpv6 } from '../../dns/rdata/fields/ipv6.ts'
import type { ListenAddress } from '../answer.ts'
import { families } from './layout.ts'

// `struct sockaddr_in` and `struct sockaddr_in6`: the family in host byte order; in network byte order the
// port and, with IPv6, the flow; the address; with IPv6 the scope in host byte order.

export const portAt = 2
export const ipv4At = 4
export const ipv4Octets = 4
export const ipv6At = 8
export const ipv6Octets = 16
const scopeAt = 24

export const maxSocketAddressOctets = 28

/** The length of an address of this family. */
export function socketAddressOctets(family: number): number {
  return family === families.inet6 ? maxSocketAddressOctets : 16
}

/** Encodes an IP literal, for IPv6 optionally with a zone id, and a port.
 *  @throws Error it is no IP literal, or its zone is no interface of this machine. */
export function encodeSocketAddress({ host, port }: ListenAddress): Uint8Array {
  const [literal = '', zone] = host.split('%')
  const ipv4 = parseIpv4(literal)
  const ip = ipv4 ?? parseIpv6(literal)
  if (ip === undefined) throw new Error(`${host} is no IP address`)
  const family = ipv4 === undefined ? families.inet6 : families.inet
  const octets = new Uint8Array(socketAddressOctets(family))
  const view = new DataView(octets.buffer)
  view.setUint16(0, family, true)
  view.setUint16(portAt, port)
  octets.set(ip, ipv4 === undefined ? ipv6At : ipv4At)
  if (zone !== undefined) view.setUint32(scopeAt, scopeOf(zone), true)
  return octets
}

/** Decodes address and port. The scope is omitted, since the configured address already contains it. */
export function decodeSocketAddress(octets: Uint8Array): ListenAddress {
  const view = new DataView(octets.buffer, octets.byteOffset)
  const port = view.getUint16(portAt)
  if (view.getUint16(0, true) === families.inet) return { host: formatIpv4(octets, ipv4At), port }
  return { host: formatIpv6(octets.subarray(ipv6At, scopeAt)), port }
}

/** Whether the address means all addresses of the machine. */
export function isWildcard(host: string): boolean {
  const octets = parseIpv4(host) ?? parseIpv6(host)
  return octets?.every(octet => octet === 0) ?? false
}

function scopeOf(zone: string): number {
  const found = networkInterfaces()[zone]?.find(({ family }) => family === 'IPv6')
  const scope = found?.family === 'IPv6' ? found.scopeid : Number(zone)
  if (!Number.isInteger(scope)) throw new Error(`there is no interface ${zone}`)
  return scope
}
