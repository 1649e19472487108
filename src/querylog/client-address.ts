import { formatIpv4 } from '../dns/rdata/fields/ipv4.ts'
import { formatIpv6 } from '../dns/rdata/fields/ipv6.ts'

const ipv4Octets = 4
/** The part of an address that is kept where hosts are hidden: /24, and /48 of IPv6. */
const keptIpv4Octets = 3
const keptIpv6Octets = 6

/** Returns the address with the octets of its host part set to zero. */
export function networkOf(octets: Uint8Array): Uint8Array {
  const network = new Uint8Array(octets)
  return network.fill(0, octets.length === ipv4Octets ? keptIpv4Octets : keptIpv6Octets)
}

/** Formats the address of a client; the empty text where there is none. */
export function formatClient(octets: Uint8Array, hidesHosts: boolean): string {
  if (octets.length === 0) return ''
  const shown = hidesHosts ? networkOf(octets) : octets
  return shown.length === ipv4Octets ? formatIpv4(shown) : formatIpv6(shown)
}
