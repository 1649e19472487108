import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { Reply } from '../route.ts'
import { commonHeaders } from './common-headers.ts'

/** Called with the octets that a reply takes, before it is written; throws where it must not be. */
type Hold = (octets: number) => void

/** Writes a reply. Resolves at once, or for a stream when it has ended. */
export async function sendReply(
  response: ServerResponse,
  reply: Reply,
  hold?: Hold,
): Promise<void> {
  if (reply.stream === undefined) return sendContent(response, reply, hold)
  hold?.(reply.heldOctets ?? 0)
  await sendStream(response, reply, reply.stream)
}

/** Writes a reply that is not a stream. */
export function sendContent(
  response: ServerResponse,
  { status, body, text, headers }: Omit<Reply, 'stream'>,
  hold?: Hold,
): void {
  const content = body === undefined ? text : JSON.stringify(body)
  const type = body === undefined ? 'text/plain; charset=utf-8' : 'application/json'
  // A response without content says so, except where it cannot have any or the length would be that of what is left out
  // (RFC 9110 section 8.6).
  const hasLength = status !== 204 && status !== 304
  const octets = Buffer.byteLength(content ?? '')
  hold?.(octets)
  response.writeHead(status, {
    ...headersOf(response),
    ...(content !== undefined && { 'content-type': type }),
    ...headers,
    ...(hasLength && { 'content-length': octets }),
  })
  response.end(content)
}

/** The headers of every reply, unless it has others of these names. Node.js takes all headers at once in half the time. */
function headersOf(response: ServerResponse): Readonly<Record<string, string>> {
  // Answers depend on the caller and may contain tokens and keys: no cache on the way may keep them.
  return { ...commonHeaders(response), 'cache-control': 'no-store' }
}

/** A client that disconnects is the usual end of a stream, not an error. */
async function sendStream(
  response: ServerResponse,
  { status, headers }: Reply,
  stream: NonNullable<Reply['stream']>,
): Promise<void> {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  if (response.destroyed) gone.abort()
  response.writeHead(status, { ...headersOf(response), ...headers })
  response.flushHeaders()
  try {
    await pipeline(stream(gone.signal), response)
  } catch (error) {
    if (!gone.signal.aborted) throw error
  }
}
