import { BlockList, isIP, isIPv6 } from 'node:net'
import type { FieldError } from '../errors.ts'
import { catalogGroupAttribute, catalogOwnerAttribute } from './catalog.ts'
import { quote } from './quote.ts'
import { tsigNameKey } from './tsig-key.ts'

/** The attribute of pools and zones that says who may have their zones: addresses, networks and `key:NAME`, separated
 *  by commas. */
export const allowTransferAttribute = 'allow_transfer'

/** The attribute of a SECONDARY zone that names the TSIG key its masters are asked with. */
export const transferKeyAttribute = 'transfer_key'

/** The attributes of a zone that can be changed. */
export const changeableAttributes: readonly string[] = [
  allowTransferAttribute,
  transferKeyAttribute,
  catalogGroupAttribute,
  catalogOwnerAttribute,
]

/** Each is looked at for each request. */
const maxPeers = 64
const keyPrefix = 'key:'

/** Who may have a zone. */
export type TransferPeers = {
  readonly addresses: BlockList
  /** Compared as `tsigNameKey`. */
  readonly keyNames: ReadonlySet<string>
}

/** Reads the attribute. What cannot be read was refused when it was written, so it is a damaged row's and left out. */
export function transferPeersOf(attributes: Readonly<Record<string, string>>): TransferPeers {
  const addresses = new BlockList()
  const keyNames = new Set<string>()
  for (const part of partsOf(attributes[allowTransferAttribute])) {
    if (problemOf(part) !== undefined) continue
    if (part.startsWith(keyPrefix)) keyNames.add(tsigNameKey(part.slice(keyPrefix.length)))
    else addSubnet(addresses, part)
  }
  return { addresses, keyNames }
}

/** Checks the attribute, where it is among those of a pool or a zone. */
export function transferAttributeErrors(
  attributes: Readonly<Record<string, string>>,
): FieldError[] {
  const parts = partsOf(attributes[allowTransferAttribute])
  const messages = parts.flatMap(part => problemOf(part) ?? [])
  if (parts.length > maxPeers) messages.push(`more than ${maxPeers} peers`)
  const path = ['attributes', allowTransferAttribute]
  return messages.map(message => ({ path, message, validator: 'format' }))
}

/** Whether the address is among them; IPv4 may be written as IPv6. */
export function isPeer({ addresses }: TransferPeers, address: string): boolean {
  const [literal = ''] = address.split('%')
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(literal)?.[1] ?? literal
  if (isIP(mapped) === 0) return false
  return addresses.check(mapped, isIPv6(mapped) ? 'ipv6' : 'ipv4')
}

function problemOf(part: string): string | undefined {
  if (part.startsWith(keyPrefix)) {
    return part.length > keyPrefix.length ? undefined : `${quote(part)} names no key`
  }
  const { address = '', bits } =
    /^(?<address>[^/]+)(?:\/(?<bits>\d{1,3}))?$/.exec(part)?.groups ?? {}
  const most = isIP(address) === 0 || address.includes('%') ? -1 : isIPv6(address) ? 128 : 32
  if (Number(bits ?? 0) <= most) return undefined
  return `${quote(part)} is not an IP address, a network or 'key:' and the name of a key`
}

function addSubnet(list: BlockList, part: string): void {
  const [address = '', bits] = part.split('/')
  const family = isIPv6(address) ? 'ipv6' : 'ipv4'
  if (bits === undefined) list.addAddress(address, family)
  else list.addSubnet(address, Number(bits), family)
}

function partsOf(list = ''): readonly string[] {
  return list
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')
}
