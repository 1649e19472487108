import { type BlockList, isIPv4 } from 'node:net'
import { formatIpv4 } from '../dns/rdata/fields/ipv4.ts'
import { formatIpv6, parseIpv6 } from '../dns/rdata/fields/ipv6.ts'
import { blockListOf, isWithin, type Network, parseNetworks } from './network.ts'

// Which addresses from user input this server may connect to: masters of zones, servers that pools notify, webhooks. A
// project is untrusted: it must not reach special-purpose addresses (RFC 6890) or this machine. An operator may name
// any address. A host name is different: its owner can point it elsewhere at any time, so its addresses are checked
// each time, and exactly these are connected to.

/** Who has written an address. */
export type NamedBy = 'project' | 'operator'

type OutboundAddressesOptions = {
  /** Special-purpose networks that are allowed nevertheless. */
  readonly allowed: readonly Network[]
  /** Returns all addresses of this machine; called for each check. */
  readonly ownAddresses: () => readonly string[]
}

const loopback = 'a loopback address'
const linkLocal = 'a link-local address'
const unspecified = 'an unspecified address'
const multicast = 'a multicast address'
const privateUse = 'a private-use address'
const reserved = 'a reserved address'

const kinds: readonly (readonly [kind: string, ...networks: string[]])[] = [
  [loopback, '127.0.0.0/8', '::1/128'],
  [linkLocal, '169.254.0.0/16', 'fe80::/10'],
  [unspecified, '0.0.0.0/8', '::/128'],
  [multicast, '224.0.0.0/4', 'ff00::/8'],
  // Shared address space (RFC 6598) and the local prefix of NAT64 (RFC 8215) are inside private networks as well.
  [privateUse, '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10'],
  [privateUse, 'fc00::/7', 'fec0::/10', '64:ff9b:1::/48'],
  // Protocol assignments, benchmarks, the former class E with broadcast; discard-only and Teredo.
  [reserved, '192.0.0.0/24', '198.18.0.0/15', '240.0.0.0/4', '100::/64', '2001::/32'],
]

const listsByKind = kinds.map(([kind, ...texts]) => [kind, listOf(texts)] as const)

/** Kinds of addresses that no name may resolve to, not even one from an operator. */
const neverNamed: readonly string[] = [loopback, linkLocal, unspecified, multicast]

/** Checks addresses before they are connected to. */
export class OutboundAddresses {
  readonly #allowed: BlockList
  readonly #ownAddresses: () => readonly string[]

  constructor({ allowed, ownAddresses }: OutboundAddressesOptions) {
    this.#allowed = blockListOf(allowed)
    this.#ownAddresses = ownAddresses
  }

  /** Returns what is wrong with an address, in any spelling; undefined: it may be connected to.
   *  @param host the host as given: the address itself, or a name that resolves to it */
  problemOf(namedBy: NamedBy, address: string, host: string): string | undefined {
    if (namedBy === 'operator' && (isLiteral(host) || isLocalName(host))) return undefined
    const meant = meantBy(address)
    if (meant === undefined) return 'not an address'
    if (meant.some(each => isWithin(this.#allowed, each))) return undefined
    const kind = meant.flatMap(each => kindOf(each) ?? []).at(0)
    if (kind !== undefined && (namedBy === 'project' || neverNamed.includes(kind))) return kind
    return namedBy === 'project' && this.#isOwn(meant) ? 'an address of this server' : undefined
  }

  /** As `problemOf`, but only what can be checked before the host is looked up. */
  problemOfHost(namedBy: NamedBy, host: string): string | undefined {
    if (isLiteral(host)) return this.problemOf(namedBy, host, host)
    if (namedBy === 'project' && isLocalName(host))
      return this.problemOf(namedBy, '127.0.0.1', host)
    return undefined
  }

  #isOwn(meant: readonly string[]): boolean {
    const own = this.#ownAddresses().flatMap(address => meantBy(address) ?? [])
    return meant.some(address => own.includes(address))
  }
}

/** RFC 6761 section 6.3. */
function isLocalName(host: string): boolean {
  return /^(?:.*\.)?localhost\.?$/i.test(host)
}

function isLiteral(host: string): boolean {
  return meantBy(host) !== undefined
}

/** Prefixes followed by an IPv4 address to which a packet may be delivered: IPv4-mapped and IPv4-compatible addresses
 *  (RFC 4291 section 2.5.5), IPv4-translated ones (RFC 2765), NAT64 (RFC 6052) and 6to4 (RFC 3056). */
const embeddings: readonly { readonly list: BlockList; readonly at: number }[] = [
  { list: listOf(['::ffff:0:0:0/96', '64:ff9b::/96']), at: 12 },
  { list: listOf(['::/96']), at: 12 },
  { list: listOf(['2002::/16']), at: 2 },
]

/** The address in canonical spelling and the address embedded in it, if any; undefined where the text is no address. */
function meantBy(address: string): readonly string[] | undefined {
  const [literal = ''] = address.split('%')
  if (isIPv4(literal)) return [literal]
  const octets = parseIpv6(literal)
  if (octets === undefined) return undefined
  const text = formatIpv6(octets)
  if (text.startsWith('::ffff:') && text.includes('.')) return [formatIpv4(octets, 12)]
  // All of ::/96 but :: and ::1, which mean themselves.
  if (text === '::' || text === '::1') return [text]
  const embedded = embeddings.find(({ list }) => list.check(text, 'ipv6'))
  return embedded === undefined ? [text] : [text, formatIpv4(octets, embedded.at)]
}

function kindOf(address: string): string | undefined {
  return listsByKind.find(([, list]) => isWithin(list, address))?.[0]
}

function listOf(texts: readonly string[]): BlockList {
  const networks = parseNetworks(texts)
  if (networks === undefined) throw new Error('a special-purpose network does not parse')
  return blockListOf(networks)
}
