import type { TappedQuery } from '../nameserver/tap-reader.ts'

// dnstap.proto and Frame Streams, as far as one kind of message needs them: a dozen fields, each a tag and a number or octets.

const contentType = Buffer.from('protobuf:dnstap.Dnstap')
const control = { accept: 1, start: 2, stop: 3, ready: 4, finish: 5 } as const
/** The longest control frame that is read. */
const maxControlOctets = 512
const contentTypeField = 1
const wireTypes = { varint: 0, octets: 2, fixed32: 5 } as const

/** Fields of `Dnstap` and of `Message`. */
const outer = { identity: 1, version: 2, message: 14, type: 15 } as const
const inner = {
  type: 1,
  family: 2,
  protocol: 3,
  clientAddress: 4,
  queryTimeSeconds: 8,
  queryTimeNanos: 9,
  query: 10,
  responseTimeSeconds: 12,
  responseTimeNanos: 13,
  response: 14,
} as const
const isMessage = 1
const authResponse = 2
const ipv4Octets = 4

/** The logging server, as named in each frame. */
export type DnstapSource = { readonly identity: string; readonly version: string }

/** The frame that starts a stream of data frames. */
export function startFrame(): Buffer {
  return contentFrame(control.start)
}

/** The frame that offers dnstap to a reader, before the start frame. */
export function readyFrame(): Buffer {
  return contentFrame(control.ready)
}

/** Reads a reader's frame at the begin of `octets`: whether it accepts dnstap, or has received everything; undefined while the
 *  frame is incomplete, and `nonsense` for anything else. */
export function readerFrame(
  octets: Buffer,
): { readonly kind: 'accepts' | 'finished'; readonly octets: number } | 'nonsense' | undefined {
  if (octets.length < 12) return undefined
  const length = octets.readUInt32BE(4)
  if (octets.readUInt32BE(0) !== 0 || length < 4 || length > maxControlOctets) return 'nonsense'
  const end = 8 + length
  if (octets.length < end) return undefined
  const type = octets.readUInt32BE(8)
  if (type === control.finish) return { kind: 'finished', octets: end }
  // A reader that names no type accepts any.
  const takesDnstap = length === 4 || octets.subarray(12, end).includes(contentType)
  return type === control.accept && takesDnstap ? { kind: 'accepts', octets: end } : 'nonsense'
}

/** The frame that ends a stream of data frames. */
export function stopFrame(): Buffer {
  return controlFrame(u32(control.stop))
}

/** One response with its query as a frame (AUTH_RESPONSE). A response that was too long to be noted is left out.
 *  @param client the address that is shown */
export function dnstapFrame(query: TappedQuery, client: Uint8Array, source: DnstapSource): Buffer {
  const { transport, atMillis, request, response } = query
  const seconds = Math.floor(atMillis / 1000)
  const nanos = Math.round((atMillis - seconds * 1000) * 1e6)
  const message = Buffer.concat([
    number(inner.type, authResponse),
    number(inner.protocol, transport === 'udp' ? 1 : 2),
    ...(client.length === 0
      ? []
      : [
          number(inner.family, client.length === ipv4Octets ? 1 : 2),
          octets(inner.clientAddress, client),
        ]),
    number(inner.queryTimeSeconds, seconds),
    fixed32(inner.queryTimeNanos, nanos),
    octets(inner.query, request),
    number(inner.responseTimeSeconds, seconds),
    fixed32(inner.responseTimeNanos, nanos),
    ...(response.length === 0 ? [] : [octets(inner.response, response)]),
  ])
  const frame = Buffer.concat([
    octets(outer.identity, Buffer.from(source.identity)),
    octets(outer.version, Buffer.from(source.version)),
    octets(outer.message, message),
    number(outer.type, isMessage),
  ])
  return Buffer.concat([u32(frame.length), frame])
}

function contentFrame(type: number): Buffer {
  const field = [u32(contentTypeField), u32(contentType.length), contentType]
  return controlFrame(Buffer.concat([u32(type), ...field]))
}

/** A length of 0 announces a control frame. */
function controlFrame(payload: Buffer): Buffer {
  return Buffer.concat([u32(0), u32(payload.length), payload])
}

function u32(value: number): Buffer {
  const octets = Buffer.alloc(4)
  octets.writeUInt32BE(value)
  return octets
}

function number(field: number, value: number): Buffer {
  return Buffer.from([...varint(field * 8 + wireTypes.varint), ...varint(value)])
}

function fixed32(field: number, value: number): Buffer {
  const octets = Buffer.alloc(4)
  octets.writeUInt32LE(value)
  return Buffer.concat([Buffer.from(varint(field * 8 + wireTypes.fixed32)), octets])
}

function octets(field: number, value: Uint8Array): Buffer {
  const head = [...varint(field * 8 + wireTypes.octets), ...varint(value.length)]
  return Buffer.concat([Buffer.from(head), value])
}

/** Seven bits an octet, the lowest first; below 2^53. */
function varint(value: number): number[] {
  const octets: number[] = []
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) octets.push((rest % 128) + 128)
  return [...octets, rest]
}
