import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import { request as httpRequest } from '../../node-http.ts'
import { lookupWithin, type Reach, reachableAddresses } from './reach.ts'

/** A receiver that does not answer within this time is tried again later. */
const timeoutMs = 10_000

export type HttpPostOptions = { readonly signal: AbortSignal; readonly reach: Reach }

/** Posts a body and resolves with the status. Redirects are not followed, since a signed body is for one address. A
 *  user name and password before the host are sent as HTTP Basic authentication (RFC 7617).
 *  @throws Error there is no answer, it took too long, or the signal aborted; RefusedAddressError */
export async function httpPost(
  url: string,
  { headers, body }: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
  { signal, reach }: HttpPostOptions,
): Promise<number> {
  const address = new URL(url)
  const host = address.hostname.replace(/^\[|\]$/g, '')
  // A literal is not looked up.
  if (isIP(host) !== 0) await reachableAddresses(host, reach)
  const send = address.protocol === 'https:' ? httpsRequest : httpRequest
  const request = send(address, {
    method: 'POST',
    headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    lookup: lookupWithin(reach),
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  })
  // An error after the response is ignored.
  request.on('error', () => undefined)
  request.end(body)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  // The body of the response is not read, regardless of its length.
  response.on('error', () => undefined).destroy()
  return response.statusCode ?? 0
}
