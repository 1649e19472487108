import { request as askHttp, type IncomingMessage, type ServerResponse } from 'node:http'
import { request as askHttps } from 'node:https'
import { pipeline } from 'node:stream'
import { StoreUnavailableError } from '../../store/store.ts'

/** Where usage is rated: here; at another node, by the URL of its API; or nowhere for the moment. */
export type RatedAt = () => 'here' | { readonly url: string } | undefined

/** Says that a request has been passed on once: two nodes that each take the other for the one that rates would pass it to
 *  and fro. */
const passedOn = 'zonewright-passed-on'
/** An answer may take as long as an export; in between something must come. */
const silenceMs = 30_000

/** Passes a request on to the node that rates, and its answer back, as they are. Node's own client and not `fetch`: that
 *  one would decompress, and follow redirects.
 *  @param here answers it, where this node rates
 *  @param fail is called with a `StoreUnavailableError` where nobody else answers, and with nothing sent so far */
export function passOn(
  ratedAt: RatedAt,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  { here, fail }: { readonly here: () => void; readonly fail: (error: Error) => void },
): void {
  const place = ratedAt()
  if (place === 'here') {
    here()
    return
  }
  if (place === undefined || request.headers[passedOn] !== undefined) {
    fail(new StoreUnavailableError('No node rates usage at the moment'))
    return
  }
  const target = new URL(place.url)
  const ask = target.protocol === 'https:' ? askHttps : askHttp
  const { connection: _, ...headers } = request.headers
  const asked = ask(place.url + pathOf(request), {
    method: request.method,
    // The host stays: links in the answer are for who has asked.
    headers: { ...headers, [passedOn]: '1' },
    timeout: silenceMs,
  })
  asked.on('timeout', () => asked.destroy(new Error(`it is silent for ${silenceMs} ms`)))
  asked.on('response', answer => {
    const { connection: __, 'keep-alive': ___, ...answered } = answer.headers
    response.writeHead(answer.statusCode ?? 502, answered)
    pipeline(answer, response, () => undefined)
  })
  asked.on('error', cause => {
    if (response.headersSent) response.destroy()
    else fail(new StoreUnavailableError('The node that rates usage does not answer', { cause }))
  })
  response.on('close', () => asked.destroy())
  request.pipe(asked)
}

function pathOf(request: IncomingMessage & { readonly originalUrl?: string }): string {
  return request.originalUrl ?? request.url ?? '/'
}
