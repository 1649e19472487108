import { type BlockList, isIP } from 'node:net'
import type { FieldError } from '../errors.ts'
import { type MasterTls, parseTls } from './masters.ts'
import { blockListOf, isWithin, type Network, parseNetwork } from './network.ts'
import { quote } from './quote.ts'
import { tsigNameKey } from './tsig-key.ts'

/** The attribute of pools and zones that lists who may transfer their zones: addresses, networks, `key:NAME`, `tls:NAME`
 *  and `tls:sha256=PIN`, separated by commas. */
export const allowTransferAttribute = 'allow_transfer'

/** The attribute of a SECONDARY zone that names the TSIG key for queries to its masters. */
export const transferKeyAttribute = 'transfer_key'

/** All of them are compared for each request. */
const maxPeers = 64
const keyPrefix = 'key:'
const tlsPrefix = 'tls:'

/** Who may transfer a zone. */
export type TransferPeers = {
  readonly addresses: BlockList
  /** Compared as `tsigNameKey`. */
  readonly keyNames: ReadonlySet<string>
  /** Names in certificates, and hashes of their public keys. */
  readonly tlsNames: ReadonlySet<string>
  readonly tlsPins: ReadonlySet<string>
}

/** The certificate that a client presented over TLS. */
type PeerCertificate = {
  /** SHA-256 of its public key, in base64. */
  readonly sha256: string
  /** In lower case, as certified by an authority. */
  readonly names: readonly string[]
}

/** Parses the attribute. Parts that do not parse are refused when written, so here they mean a damaged row and are skipped. */
export function transferPeersOf(attributes: Readonly<Record<string, string>>): TransferPeers {
  const networks: Network[] = []
  const keyNames = new Set<string>()
  const tlsNames = new Set<string>()
  const tlsPins = new Set<string>()
  for (const part of partsOf(attributes[allowTransferAttribute])) {
    if (problemOf(part) !== undefined) continue
    const tls = tlsOf(part)
    const network = parseNetwork(part)
    if (tls?.kind === 'pin') tlsPins.add(tls.sha256)
    else if (tls?.kind === 'name') tlsNames.add(tls.name.toLowerCase())
    else if (part.startsWith(keyPrefix)) keyNames.add(tsigNameKey(part.slice(keyPrefix.length)))
    else if (network !== undefined) networks.push(network)
  }
  return { addresses: blockListOf(networks), keyNames, tlsNames, tlsPins }
}

/** Checks the attribute of a pool or a zone, if present. */
export function transferAttributeErrors(
  attributes: Readonly<Record<string, string>>,
): FieldError[] {
  const parts = partsOf(attributes[allowTransferAttribute])
  const messages = parts.flatMap(part => problemOf(part) ?? [])
  if (parts.length > maxPeers) messages.push(`more than ${maxPeers} peers`)
  const path = ['attributes', allowTransferAttribute]
  return messages.map(message => ({ path, message, validator: 'format' }))
}

/** Whether a client's address or certificate is among the peers; IPv4 may be written as IPv6. */
export function isPeer(
  { addresses, tlsNames, tlsPins }: TransferPeers,
  { address, certificate }: PeerClient,
): boolean {
  const { sha256 = '', names = [] } = certificate ?? {}
  if (tlsPins.has(sha256) || names.some(name => tlsNames.has(name))) return true
  const [literal = ''] = address.split('%')
  return isWithin(addresses, literal)
}

export type PeerClient = {
  /** An IP literal. */
  readonly address: string
  /** That it presented over TLS. */
  readonly certificate?: PeerCertificate | undefined
}

/** Parses a part that describes a certificate, in the form used for masters. */
function tlsOf(part: string): MasterTls | undefined {
  return part.startsWith(tlsPrefix) ? parseTls(part.slice(tlsPrefix.length)) : undefined
}

function problemOf(part: string): string | undefined {
  if (part.startsWith(tlsPrefix)) {
    const tls = tlsOf(part)
    if (tls?.kind === 'pin' || (tls?.kind === 'name' && isIP(tls.name) === 0)) return undefined
    return `${quote(part)} names no certificate: 'tls:' and a host name, or 'tls:sha256=' and the hash of a public key in base64`
  }
  if (part.startsWith(keyPrefix)) {
    return part.length > keyPrefix.length ? undefined : `${quote(part)} names no key`
  }
  if (parseNetwork(part) !== undefined) return undefined
  return `${quote(part)} is not an IP address, a network, 'key:' and the name of a key, or 'tls:' and a certificate`
}

/** The parts of an attribute that is a list. */
export function partsOf(list = ''): readonly string[] {
  return list
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')
}
