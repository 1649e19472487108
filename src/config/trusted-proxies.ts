import { isIP } from 'node:net'

/** Names of networks that express knows. */
const networkNames = ['loopback', 'linklocal', 'uniquelocal']

/** The entries as they are; undefined where one is neither an address, nor a network, nor a name of one. */
export function parseTrustedProxies(entries: readonly string[]): readonly string[] | undefined {
  return entries.every(isNetwork) ? entries : undefined
}

function isNetwork(entry: string): boolean {
  if (networkNames.includes(entry)) return true
  const [address = '', prefix, ...rest] = entry.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return false
  if (prefix === undefined) return true
  return /^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128)
}
