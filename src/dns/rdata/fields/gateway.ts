import { FormatError } from '../../format-error.ts'
import { formatName, nameFromOctets, parseName } from '../../name.ts'
import type { Reader } from '../../reader.ts'
import type { Field } from '../field.ts'
import type { RdataText } from '../rdata-text.ts'
import { parseInteger } from './integers.ts'
import { ipv4 } from './ipv4.ts'
import { ipv6 } from './ipv6.ts'

// The target of IPSECKEY and AMTRELAY: a number gives whether an IPv4 address, an IPv6 address or a name follows, or
// nothing (RFC 4025 section 2.5, RFC 8777 section 4.2.4).

/** The gateway after the number of its kind, in wire form, a name uncompressed. */
type Gateway = Uint8Array

/** Of IPSECKEY the kind of gateway, the algorithm of the key, and the gateway: the kind gives the gateway's length, and the
 *  algorithm is between them (RFC 4025 section 2.1). */
type Tunnel = {
  readonly kind: number
  readonly algorithm: number
  readonly gateway: Gateway
}

export const tunnel: Field<Tunnel> = {
  decode(reader) {
    const kind = reader.u8()
    const algorithm = reader.u8()
    return { kind, algorithm, gateway: decodeGateway(kind, reader) }
  },
  encode({ kind, algorithm, gateway }, writer) {
    writer.u8(kind)
    writer.u8(algorithm)
    writer.octets(gateway)
  },
  parse(text) {
    const kind = parseInteger(text, 0xff)
    const algorithm = parseInteger(text, 0xff)
    return { kind, algorithm, gateway: parseGateway(kind, text) }
  },
  format: ({ kind, algorithm, gateway }) => `${kind} ${algorithm} ${formatGateway(kind, gateway)}`,
}

/** Of AMTRELAY the D bit and the kind of relay in one octet, then the relay (RFC 8777 sections 4.2.2 to 4.2.4). */
type Relay = {
  /** 1: the relay may be sent to without discovery. */
  readonly discoveryOptional: number
  readonly kind: number
  readonly relay: Gateway
}

const kindBits = 0x7f

export const relay: Field<Relay> = {
  decode(reader) {
    const octet = reader.u8()
    const kind = octet & kindBits
    return { discoveryOptional: octet >>> 7, kind, relay: decodeGateway(kind, reader) }
  },
  encode({ discoveryOptional, kind, relay }, writer) {
    writer.u8((discoveryOptional << 7) | kind)
    writer.octets(relay)
  },
  parse(text) {
    const discoveryOptional = parseInteger(text, 1)
    const kind = parseInteger(text, kindBits)
    return { discoveryOptional, kind, relay: parseGateway(kind, text) }
  },
  format: ({ discoveryOptional, kind, relay }) =>
    `${discoveryOptional} ${kind} ${formatGateway(kind, relay)}`,
}

/** Reports a kind whose form is not known. */
export function findKindFault(what: 'gateway' | 'relay', kind: number): string | undefined {
  return kind < forms.length ? undefined : `no ${what} of kind ${kind} is known`
}

const none: Field<Gateway> = {
  decode: () => new Uint8Array(),
  encode: () => undefined,
  parse: text => text.nextAs("'.'", raw => (raw === '.' ? new Uint8Array() : undefined)),
  format: () => '.',
}

const named: Field<Gateway> = {
  decode: reader => Buffer.from(reader.name(), 'latin1'),
  encode: (value, writer) => writer.octets(value),
  parse: text => Buffer.from(parseName(text.next('a domain name').raw, text.origin), 'latin1'),
  format: value => formatName(nameFromOctets(value, 0)),
}

/** By the numbers of the kinds. */
const forms = [none, ipv4, ipv6, named]

/** Reads a gateway. One of an unknown kind has no known end, so it takes all octets left.
 *  @throws FormatError it is cut off */
function decodeGateway(kind: number, reader: Reader): Gateway {
  return forms[kind]?.decode(reader) ?? reader.takeRest()
}

/** @throws FormatError it is not a gateway of this kind */
function parseGateway(kind: number, text: RdataText): Gateway {
  const form = forms[kind]
  if (form !== undefined) return form.parse(text)
  throw new FormatError(`a gateway is of kind 0 to ${forms.length - 1}, ${kind} was found`)
}

/** Formats a gateway of a known kind. */
function formatGateway(kind: number, gateway: Gateway): string {
  return forms[kind]?.format(gateway) ?? '.'
}
