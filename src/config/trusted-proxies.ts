import { parseNetwork } from '../model/network.ts'

/** Names of networks that express knows. */
const networkNames = ['loopback', 'linklocal', 'uniquelocal']

/** The entries as they are; undefined where one is neither an address, nor a network, nor a name of one. */
export function parseTrustedProxies(entries: readonly string[]): readonly string[] | undefined {
  return entries.every(isNetwork) ? entries : undefined
}

function isNetwork(entry: string): boolean {
  // An IPv6 address may have a zone: fe80::1%eth0.
  const unscoped = entry.replace(/(?<=:.*)%[\w.:-]+/, '')
  return networkNames.includes(entry) || parseNetwork(unscoped) !== undefined
}
