import { lookup, Resolver } from 'node:dns/promises'

/** A query without an answer is repeated once, and each has a timeout. */
const resolverOptions = { timeout: 2_000, tries: 2 }

/** Returns the addresses of a host name as this machine resolves it, including its files and search list.
 *  @throws Error with a code such as ENOTFOUND */
export async function systemAddresses(host: string): Promise<readonly string[]> {
  const found = await lookup(host, { all: true })
  return found.map(({ address }) => address)
}

/** Returns the addresses of a name in DNS, without this machine's other sources. Untrusted names are looked up in this
 *  way: `lookup` waits in one of few threads, where slow names of one project would delay those of all.
 *  @throws Error with a code such as ENOTFOUND */
export async function dnsAddresses(host: string): Promise<readonly string[]> {
  const resolver = new Resolver(resolverOptions)
  const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  const addresses = found.flatMap(result => (result.status === 'fulfilled' ? result.value : []))
  const [first] = found
  if (addresses.length === 0 && first?.status === 'rejected') throw asLookupError(first.reason)
  return addresses
}

/** Replaces errors of the resolver itself, such as a refused connection to it, which say nothing about the host. */
function asLookupError(cause: unknown): unknown {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  if (code === 'ENOTFOUND' || code === 'ENODATA') return cause
  return Object.assign(new Error('the name cannot be looked up', { cause }), { code: 'EAI_AGAIN' })
}
