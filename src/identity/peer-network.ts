const ipv6Groups = 8
const networkGroups = 4

/** The part of an address that one party holds: an IPv4 address itself, the /64 of an IPv6 one. Limits apply to it, so that an
 *  attacker does not get a new limit with each of 2^64 addresses. */
export function networkOf(address: string): string {
  // With dots it is IPv4, or IPv4 mapped into IPv6.
  if (!address.includes(':') || address.includes('.')) return address
  const [before = '', after = ''] = address.split('::')
  const head = groupsOf(before)
  const tail = groupsOf(after)
  const gap = Math.max(0, ipv6Groups - head.length - tail.length)
  return [...head, ...Array<string>(gap).fill('0'), ...tail].slice(0, networkGroups).join(':')
}

function groupsOf(part: string): string[] {
  return part === '' ? [] : part.split(':')
}
