import { isIP } from 'node:net'
import type { FieldError } from '../errors.ts'
import { type Endpoint, parseEndpoint } from './masters.ts'
import type { Pool } from './pool.ts'
import { quote } from './quote.ts'
import { partsOf, transferAttributeErrors } from './transfer-peers.ts'

// A pool's attributes are free text of its operator, except for four that this server acts on. Each is a list of
// `host[:port]`, separated by commas; addresses to listen on need a port. `allow_transfer` is in `transfer-peers.ts`.

/** Addresses of the pool's own listeners, which answer for its zones. */
const listenAttribute = 'listen'
/** Servers that are notified of every change. */
const alsoNotifyAttribute = 'also_notify'
/** Servers that must serve a change before it counts as done. */
const checkAttribute = 'check'

/** Each costs a query for every change of every zone, and separate timeouts when it does not answer. */
const maxEndpoints = 16

type Attributes = Pick<Pool, 'attributes'>

/** A server that is notified, and the key that signs its NOTIFY. */
type NotifiedServer = Endpoint & { readonly keyName?: string }

/** The addresses of the pool's own listeners; none: the default listeners answer for it. */
export function listenAddressesOf(pool: Attributes): readonly Endpoint[] {
  return endpointsIn(pool, listenAttribute, parseListenAddress)
}

/** The external targets that are notified of the pool's zones (RFC 1996), and the TSIG key of each that has one. */
export function notifiedServersOf(pool: Attributes): readonly NotifiedServer[] {
  return endpointsIn(pool, alsoNotifyAttribute, parseNotified)
}

/** The external targets that are queried for the serials they serve of the pool's zones. */
export function checkedServersOf(pool: Attributes): readonly Endpoint[] {
  return endpointsIn(pool, checkAttribute, parseEndpoint)
}

/** Checks the attributes that this server acts on. */
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

/** Accepts only an address, not a host name; with port 0 the system picks the port. */
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

/** Requires a port: a missing one was most likely forgotten, and listening on another port stays unnoticed until the
 *  first query. Earlier versions defaulted to 53, so pools that are stored without a port are still answered there. */
function parseWithPort(text: string): Endpoint | undefined {
  return /:\d+$/.test(text) ? parseListenAddress(text) : undefined
}

/** Parts that do not parse are refused when they are stored, so here they mean a damaged row and are left out. */
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
