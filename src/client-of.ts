import { isIPv4 } from 'node:net'

/** Identifies clients by address: IPv4 by all of it, IPv6 by its first 64 bits, because one client controls all
 *  addresses of such a network (RFC 6177). Limits apply to it, or there would be a new one for each of 2^64 addresses. */
export function clientOf(address: string): string {
  const mapped = address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address
  if (isIPv4(mapped)) return mapped
  const [high = '', low] = (address.split('%')[0] ?? '').split('::')
  const groups = high === '' ? [] : high.split(':')
  if (low !== undefined) {
    const lowGroups = low === '' ? [] : low.split(':')
    while (groups.length + lowGroups.length < 8) groups.push('0')
    groups.push(...lowGroups)
  }
  return groups.slice(0, 4).join(':')
}
