import { isIP, type LookupFunction } from 'node:net'

// Hosts from user input are connected to only where that is allowed. A name is looked up here, its addresses are
// checked, and exactly these are connected to, so it cannot change in between.

/** Which hosts may be connected to. */
export type Reach = {
  /** Returns what is wrong with an address; undefined: it may be connected to.
   *  @param host the host as given: the address itself, or a name that resolves to it */
  problemOf(address: string, host: string): string | undefined
  /** Returns a name's addresses. @throws Error with a code of the resolver */
  resolve(host: string): Promise<readonly string[]>
}

/** How servers elsewhere are asked. */
export type Asking = {
  /** Returns 0 to 65,535, unpredictable (RFC 5452 section 9.2). */
  readonly randomId: () => number
  /** Which of them may be connected to, by who has named them. */
  readonly reaches: Readonly<Record<NamedBy, Reach>>
}

export type NamedBy = 'project' | 'operator'

/** An address must not be connected to. */
export class RefusedAddressError extends Error {
  override readonly name = 'RefusedAddressError'
}

/** Returns the addresses of a host that may be connected to.
 *  @throws RefusedAddressError none of its addresses may be; Error the name has none */
export async function reachableAddresses(host: string, reach: Reach): Promise<readonly string[]> {
  const addresses = isIP(host) === 0 ? await reach.resolve(host) : [host]
  const problems = addresses.map(address => reach.problemOf(address, host))
  const reachable = addresses.filter((_, i) => problems[i] === undefined)
  const [refused] = addresses
  if (reachable.length > 0 || refused === undefined) return reachable
  throw new RefusedAddressError(
    `${refused} is ${problems[0]}; ZONEWRIGHT_OUTBOUND_NETWORKS can allow it`,
  )
}

/** The same for a socket, which looks up only names: literals must be checked before. */
export function lookupWithin(reach: Reach): LookupFunction {
  return (host, options, callback) => {
    reachableAddresses(host, reach).then(
      found => {
        const wanted = found.map(address => ({ address, family: isIP(address) }))
        const [first] = wanted
        if (first === undefined) callback(notFound(host), '')
        else if (options.all) callback(null, wanted)
        else callback(null, first.address, first.family)
      },
      (error: unknown) => callback(error as NodeJS.ErrnoException, ''),
    )
  }
}

function notFound(host: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${host} has no address`), { code: 'ENOTFOUND' })
}
