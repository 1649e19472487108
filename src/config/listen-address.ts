import { isIP, isIPv4, isIPv6 } from 'node:net'

/** Where to listen. Port 0 lets the system choose one. */
export type ListenAddress = {
  /** An IPv4 or IPv6 address, without brackets. */
  readonly host: string
  readonly port: number
}

const maxPort = 65535

/** Parses `192.0.2.1:53` or `[2001:db8::1]:53`. Host names are not accepted: their addresses may change. */
export function parseListenAddress(text: string): ListenAddress | undefined {
  const parts = /^(?:\[(?<ipv6>[^[\]]+)\]|(?<ipv4>[^:]+)):(?<port>\d{1,5})$/.exec(text)?.groups
  if (parts === undefined) return undefined
  const { ipv4 = '', ipv6 = '' } = parts
  const port = Number(parts.port)
  if (port > maxPort) return undefined
  if (isIPv4(ipv4)) return { host: ipv4, port }
  return isIPv6(ipv6) ? { host: ipv6, port } : undefined
}

/** Parses each, or returns undefined where one is not an address. */
export function parseListenAddresses(
  texts: readonly string[],
): readonly ListenAddress[] | undefined {
  const addresses = texts.map(parseListenAddress)
  return addresses.every(address => address !== undefined) ? addresses : undefined
}

/** Returns them where each is an address, with a port or without one; else undefined. */
export function parseServers(texts: readonly string[]): readonly string[] | undefined {
  const isServer = (text: string) => isIP(text) !== 0 || parseListenAddress(text) !== undefined
  return texts.every(isServer) ? texts : undefined
}

/** Whether two servers cannot listen on both: they have the same port and share an address, directly or through the wildcard
 *  of its family. Port 0 is a different port each time. */
export function overlap(one: ListenAddress, other: ListenAddress): boolean {
  if (one.port === 0 || one.port !== other.port || isIPv4(one.host) !== isIPv4(other.host))
    return false
  return one.host === other.host || isAnyAddress(one.host) || isAnyAddress(other.host)
}

function isAnyAddress(host: string): boolean {
  return host === '0.0.0.0' || host === '::'
}
