import type { Field } from '../field.ts'
import {
  decodeGateway,
  formatGateway,
  type Gateway,
  isGatewayKind,
  parseGateway,
} from './gateway.ts'
import { parseInteger } from './integers.ts'

/** Kind of gateway, algorithm of the key, gateway: the kind gives the gateway's length, and the algorithm is between
 *  them (RFC 4025 section 2.1). */
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

/** Reports an unknown kind of gateway. */
export function findTunnelFault({ kind }: Tunnel): string | undefined {
  return isGatewayKind(kind) ? undefined : `no gateway of kind ${kind} is known`
}
