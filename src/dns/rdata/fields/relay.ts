import type { Field } from '../field.ts'
import {
  decodeGateway,
  formatGateway,
  type Gateway,
  isGatewayKind,
  parseGateway,
} from './gateway.ts'
import { parseInteger } from './integers.ts'

/** The D bit and the kind of relay in one octet, then the relay (RFC 8777 sections 4.2.2 to 4.2.4). */
export type Relay = {
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

/** Reports an unknown kind of relay. */
export function findRelayFault({ kind }: Relay): string | undefined {
  return isGatewayKind(kind) ? undefined : `no relay of kind ${kind} is known`
}
