import { formatIpv4 } from '../dns/rdata/fields/ipv4.ts'
import { formatIpv6 } from '../dns/rdata/fields/ipv6.ts'

const ipv4Octets = 4
/** What is kept of an address where hosts are not to be known: /24, and /48 of IPv6. */
const keptIpv4Octets = 3
const keptIpv6Octets = 6

/** Returns the octets with those that say which host of a network it is as zeros. */
export function networkOf(octets: Uint8Array): Uint8Array {
  const network = new Uint8Array(octets)
  return network.fill(0, octets.length === ipv4Octets ? keptIpv4Octets : keptIpv6Octets)
}

/** Formats a client's address; empty where there is none. */
export function formatClient(octets: Uint8Array, hidesHosts: boolean): string {
  if (octets.length === 0) return ''
  const shown = hidesHosts ? networkOf(octets) : octets
  return shown.length === ipv4Octets ? formatIpv4(shown) : formatIpv6(shown)
}
