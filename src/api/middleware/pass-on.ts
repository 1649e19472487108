import type { IncomingMessage, ServerResponse } from 'node:http'
import { request as askHttps } from 'node:https'
import { pipeline } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { request as askHttp } from '../../node-http.ts'
import { StoreUnavailableError } from '../../store/store.ts'
import { isLocal } from './local-request.ts'

/** Where usage is rated: here; at another node, by the URL of its API; undefined while a node takes over. */
export type RatedAt = () => 'here' | { readonly url: string } | undefined

/** Marks a request that has been passed on once: two nodes that each take the other for the rating node would pass it back and
 *  forth. */
const passedOn = 'zonewright-passed-on'
/** An answer may take as long as an export, but no pause in it may be longer than this. */
const silenceMs = 30_000

/** A takeover is over within seconds. Until then no node rates, or the one that did refuses connections. */
const takeoverMs = 5_000
const retryMs = 50

/** Passes a request on to the rating node, and its answer back, both unchanged; waits for a node that takes over. It uses Node's
 *  own client, since `fetch` would decompress and follow redirects.
 *  @param here answers it, where this node rates
 *  @param patienceMs how long to wait
 *  @throws StoreUnavailableError no other node answers: nothing has been sent yet */
export async function passOn(
  ratedAt: RatedAt,
  exchange: { readonly request: IncomingMessage; readonly response: ServerResponse },
  {
    here,
    patienceMs = takeoverMs,
  }: { readonly here: () => Promise<void>; readonly patienceMs?: number },
): Promise<void> {
  const { request, response } = exchange
  const endsAtMs = performance.now() + patienceMs
  const isLate = () => performance.now() >= endsAtMs
  for (; !response.destroyed; await delay(retryMs)) {
    const place = ratedAt()
    if (place === 'here') return here()
    if (place === undefined && !isLate()) continue
    if (place === undefined || request.headers[passedOn] !== undefined)
      throw new StoreUnavailableError('No node rates usage at the moment')
    const cause = await passTo(place.url, exchange)
    if (cause === undefined || response.destroyed) return
    if (cause.code !== 'ECONNREFUSED' || isLate())
      throw new StoreUnavailableError('The node that rates usage does not answer', { cause })
  }
}

/** Says where a request comes from, unless it comes from this machine: to a node on the same one, all of them would. */
function originOf(request: IncomingMessage): Readonly<Record<string, string>> {
  if (isLocal(request)) return {}
  const { socket, headers } = request
  const origins = [headers['x-forwarded-for'] ?? [], socket.remoteAddress ?? []].flat()
  return { 'x-forwarded-for': origins.join(', ') }
}

/** Resolves once the answer begins, or with the reason why there is none. The body of a refused request has not been read. */
function passTo(
  url: string,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
): Promise<NodeJS.ErrnoException | undefined> {
  const ask = new URL(url).protocol === 'https:' ? askHttps : askHttp
  const { connection: _, ...headers } = request.headers
  const asked = ask(`${url}${request.url}`, {
    method: request.method,
    // The host stays: links in the answer are for the original client.
    headers: { ...headers, ...originOf(request), [passedOn]: '1' },
    timeout: silenceMs,
  })
  asked.on('timeout', () => asked.destroy(new Error(`it is silent for ${silenceMs} ms`)))
  const stop = () => asked.destroy()
  response.on('close', stop)
  asked.on('socket', socket => {
    if (socket.connecting) socket.once('connect', () => request.pipe(asked))
    else request.pipe(asked)
  })
  return new Promise(resolve => {
    asked.on('response', answer => {
      const { connection: __, 'keep-alive': ___, ...answered } = answer.headers
      response.writeHead(answer.statusCode ?? 502, answered)
      pipeline(answer, response, () => undefined)
      resolve(undefined)
    })
    asked.on('error', cause => {
      response.off('close', stop)
      if (response.headersSent) response.destroy()
      resolve(cause)
    })
  })
}
