import { FormatError } from '../../format-error.ts'
import { formatName, nameFromOctets, parseName } from '../../name.ts'
import type { Reader } from '../../reader.ts'
import type { RdataText } from '../rdata-text.ts'
import { ipv4 } from './ipv4.ts'
import { ipv6 } from './ipv6.ts'

// The target of IPSECKEY and AMTRELAY: a number gives whether an IPv4 address, an IPv6 address or a name follows, or
// nothing (RFC 4025 section 2.5, RFC 8777 section 4.2.4).

/** The gateway after the number of its kind, in wire form, a name uncompressed. */
export type Gateway = Uint8Array

/** The numbers of the kinds. */
const gatewayKinds = { none: 0, ipv4: 1, ipv6: 2, name: 3 } as const

/** Whether the form of this kind of gateway is known. */
export function isGatewayKind(kind: number): boolean {
  return kind <= gatewayKinds.name
}

/** Reads a gateway. One of an unknown kind has no known end, so it takes all octets left.
 *  @throws FormatError it is cut off */
export function decodeGateway(kind: number, reader: Reader): Gateway {
  switch (kind) {
    case gatewayKinds.none:
      return new Uint8Array()
    case gatewayKinds.ipv4:
      return ipv4.decode(reader)
    case gatewayKinds.ipv6:
      return ipv6.decode(reader)
    case gatewayKinds.name:
      return Buffer.from(reader.name(), 'latin1')
    default:
      return reader.takeRest()
  }
}

/** @throws FormatError it is not a gateway of this kind */
export function parseGateway(kind: number, text: RdataText): Gateway {
  switch (kind) {
    case gatewayKinds.none: {
      const { raw } = text.next("'.'")
      if (raw !== '.') throw text.fault("'.'", raw)
      return new Uint8Array()
    }
    case gatewayKinds.ipv4:
      return ipv4.parse(text)
    case gatewayKinds.ipv6:
      return ipv6.parse(text)
    case gatewayKinds.name:
      return Buffer.from(parseName(text.next('a domain name').raw, text.origin), 'latin1')
    default:
      throw new FormatError(`a gateway is of kind 0 to ${gatewayKinds.name}, ${kind} was found`)
  }
}

/** Formats a gateway of a known kind. */
export function formatGateway(kind: number, gateway: Gateway): string {
  switch (kind) {
    case gatewayKinds.ipv4:
      return ipv4.format(gateway)
    case gatewayKinds.ipv6:
      return ipv6.format(gateway)
    case gatewayKinds.name:
      return formatName(nameFromOctets(gateway, 0))
    default:
      return '.'
  }
}
