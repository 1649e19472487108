import { isIP } from 'node:net'
import type { FieldError } from '../errors.ts'
import { type Endpoint, parseEndpoint } from './masters.ts'
import type { Pool } from './pool.ts'
import { quote } from './quote.ts'
import { transferAttributeErrors } from './transfer-peers.ts'

// A pool's attributes are its operator's words, but for four that this server acts on. Each is a list of
// `host[:port]`, separated by commas; what is listened on has a port. `allow_transfer` is in `transfer-peers.ts`.

/** Where the pool's zones are answered, on listeners of the pool's own. */
const listenAttribute = 'listen'
/** Servers that are notified of every change. */
const alsoNotifyAttribute = 'also_notify'
/** Servers that must serve a change before it counts as done. */
const checkAttribute = 'check'

/** Each costs a query for every change of every zone, and waits of its own when it is silent. */
const maxEndpoints = 16

type Attributes = Pick<Pool, 'attributes'>

/** A server that is notified, and what its NOTIFY is signed with. */
export type NotifiedServer = Endpoint & { readonly keyName?: string }

/** The addresses that the pool's own listeners are to have; none: it is answered where all others are. */
export function listenAddressesOf(pool: Attributes): readonly Endpoint[] {
  return endpointsIn(pool, listenAttribute, parseListenAddress)
}

/** The external targets that are notified of the pool's zones (RFC 1996), and the TSIG key of each that has one. */
export function notifiedServersOf(pool: Attributes): readonly NotifiedServer[] {
  return endpointsIn(pool, alsoNotifyAttribute, parseNotified)
}

/** The external targets that are asked what they serve of the pool's zones. */
export function checkedServersOf(pool: Attributes): readonly Endpoint[] {
  return endpointsIn(pool, checkAttribute, parseEndpoint)
}

/** `host:port`, with brackets around an IPv6 address. */
export function endpointText({ host, port }: Endpoint): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

/** Checks the attributes that mean something here. */
export function poolAttributeErrors(attributes: Pool['attributes']): FieldError[] {
  return [
    ...listErrors(attributes, listenAttribute, {
      parse: parseWithPort,
      expected: 'IP address:port',
    }),
    ...listErrors(attributes, alsoNotifyAttribute, {
      parse: parseNotified,
      expected: 'host[:port] [key:NAME]',
    }),
    ...listErrors(attributes, checkAttribute, { parse: parseEndpoint, expected: 'host[:port]' }),
    ...transferAttributeErrors(attributes),
  ]
}

type Parse = (text: string) => Endpoint | undefined

/** Only an address can be listened on, and port 0 lets the system pick one. */
function parseListenAddress(text: string): Endpoint | undefined {
  const [, anyPort] = /^(.*):0$/.exec(text) ?? []
  const endpoint = parseEndpoint(anyPort ?? text)
  if (endpoint === undefined || isIP(endpoint.host) === 0) return undefined
  return anyPort === undefined ? endpoint : { ...endpoint, port: 0 }
}

function parseNotified(text: string): NotifiedServer | undefined {
  const { server = '', keyName } =
    /^(?<server>\S+)(?:\s+key:(?<keyName>\S+))?$/.exec(text)?.groups ?? {}
  const endpoint = parseEndpoint(server)
  return endpoint && keyName !== undefined ? { ...endpoint, keyName } : endpoint
}

/** A port that is not written is most likely forgotten, and to listen elsewhere is not seen before somebody asks. Earlier
 *  versions took it for 53, so pools that are stored without one are still answered there. */
function parseWithPort(text: string): Endpoint | undefined {
  return /:\d+$/.test(text) ? parseListenAddress(text) : undefined
}

/** What does not parse was refused when it was stored, so it is a damaged row's and left out. */
function endpointsIn<E extends Endpoint>(
  { attributes }: Attributes,
  name: string,
  parse: (text: string) => E | undefined,
): readonly E[] {
  return partsOf(attributes[name]).flatMap(part => parse(part) ?? [])
}

function listErrors(
  attributes: Pool['attributes'],
  name: string,
  { parse, expected }: { readonly parse: Parse; readonly expected: string },
): FieldError[] {
  const parts = partsOf(attributes[name])
  const wrong = parts.filter(part => parse(part) === undefined)
  const messages = wrong.map(part => `${quote(part)} is not a '${expected}'`)
  if (parts.length > maxEndpoints) messages.push(`more than ${maxEndpoints} servers`)
  return messages.map(message => ({ path: ['attributes', name], message, validator: 'format' }))
}

function partsOf(list = ''): readonly string[] {
  return list
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')
}
