import { lookup, Resolver } from 'node:dns/promises'

/** A question to a name server that goes unanswered is asked once more, and not for ever. */
const resolverOptions = { timeout: 2_000, tries: 2 }

/** Returns the addresses of a host name, as this machine would connect to it: its own files and search list included.
 *  @throws Error with a code such as ENOTFOUND */
export async function systemAddresses(host: string): Promise<readonly string[]> {
  const found = await lookup(host, { all: true })
  return found.map(({ address }) => address)
}

/** Returns the addresses that DNS has for a name, and nothing else of this machine. Names of strangers are looked up in
 *  this way: `lookup` waits in one of few threads, where slow names of one would hold up those of all.
 *  @throws Error with a code such as ENOTFOUND */
export async function dnsAddresses(host: string): Promise<readonly string[]> {
  const resolver = new Resolver(resolverOptions)
  const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  const addresses = found.flatMap(result => (result.status === 'fulfilled' ? result.value : []))
  const [first] = found
  if (addresses.length === 0 && first?.status === 'rejected') throw asLookupError(first.reason)
  return addresses
}

/** A resolver that does not answer has refused a connection of its own, which says nothing of the host. */
function asLookupError(cause: unknown): unknown {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  if (code === 'ENOTFOUND' || code === 'ENODATA') return cause
  return Object.assign(new Error('the name cannot be looked up', { cause }), { code: 'EAI_AGAIN' })
}
