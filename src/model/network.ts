import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net'

/** All addresses that share the first bits of this one, as many as the prefix says. */
export type Network = {
  /** An IPv4 or IPv6 address. */
  readonly address: string
  readonly bits: number
}

/** Parses `192.0.2.0/24`, `2001:db8::/32`, or one address. Bits after the prefix are ignored. */
export function parseNetwork(text: string): Network | undefined {
  const { address = '', prefix } =
    /^(?<address>[^/%]+)(?:\/(?<prefix>\d{1,3}))?$/.exec(text)?.groups ?? {}
  const maxBits = isIPv4(address) ? 32 : isIPv6(address) ? 128 : undefined
  const bits = Number(prefix ?? maxBits)
  return maxBits === undefined || bits > maxBits ? undefined : { address, bits }
}

/** Parses each, or returns undefined where one is not a network. */
export function parseNetworks(texts: readonly string[]): readonly Network[] | undefined {
  const networks = texts.map(parseNetwork)
  return networks.every(network => network !== undefined) ? networks : undefined
}

export function blockListOf(networks: readonly Network[]): BlockList {
  const list = new BlockList()
  for (const { address, bits } of networks) {
    list.addSubnet(address, bits, isIPv4(address) ? 'ipv4' : 'ipv6')
  }
  return list
}

/** Whether a text is an address in one of the networks. An IPv4 address may be in its IPv6 form, which BlockList recognizes. */
export function isWithin(list: BlockList, text: string): boolean {
  const family = isIP(text)
  return family !== 0 && list.check(text, family === 4 ? 'ipv4' : 'ipv6')
}
