import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { Reply } from '../route.ts'

/** Writes a reply. Resolves at once, or for a stream when it has ended. */
export async function sendReply(response: ServerResponse, reply: Reply): Promise<void> {
  if (reply.stream === undefined) sendContent(response, reply)
  else await sendStream(response, reply, reply.stream)
}

/** Writes a reply that is not a stream. */
export function sendContent(
  response: ServerResponse,
  { status, body, text, headers }: Omit<Reply, 'stream'>,
): void {
  const content = body === undefined ? text : JSON.stringify(body)
  response.statusCode = status
  // Answers depend on the caller and may contain tokens and keys: no cache on the way may keep them.
  response.setHeader('cache-control', 'no-store')
  if (content !== undefined)
    response.setHeader(
      'content-type',
      body === undefined ? 'text/plain; charset=utf-8' : 'application/json',
    )
  for (const [name, value] of Object.entries(headers ?? {})) response.setHeader(name, value)
  // A response without content says so, except where it cannot have any or the length would be that of what is left out
  // (RFC 9110 section 8.6).
  if (status !== 204 && status !== 304)
    response.setHeader('content-length', Buffer.byteLength(content ?? ''))
  response.end(content)
}

/** A client that disconnects is the usual end of a stream, not an error. */
async function sendStream(
  response: ServerResponse,
  { status, headers }: Reply,
  stream: NonNullable<Reply['stream']>,
): Promise<void> {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  response.statusCode = status
  response.setHeader('cache-control', 'no-store')
  for (const [name, value] of Object.entries(headers ?? {})) response.setHeader(name, value)
  response.flushHeaders()
  try {
    await pipeline(stream(gone.signal), response)
  } catch (error) {
    if (!gone.signal.aborted) throw error
  }
}
