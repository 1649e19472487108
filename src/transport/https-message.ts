import { rcodes, types } from '../dns/codes.ts'
import { headerOctets, rcodeOf } from '../dns/header.ts'
import { maxMessageOctets } from '../dns/message.ts'
import { skipName, u16, u32 } from '../dns/octets.ts'

// The HTTP part of DNS over HTTPS (RFC 8484): the same over HTTP/2 and HTTP/1.1.

export type HttpRequestHead = {
  readonly method: string
  /** Path and query, as in the request line. */
  readonly target: string
  readonly contentType: string | undefined
  /** The value of `content-length`; NaN if absent. */
  readonly contentOctets: number
}

export type HttpResponse = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | number>>
  readonly body: Uint8Array
}

const path = '/dns-query'
const mediaType = 'application/dns-message'

/** Reads the head of a request. Returns the DNS message of GET, `content` if it follows as content, or an error response. */
export function readHead(head: HttpRequestHead): Uint8Array | 'content' | HttpResponse {
  const [found = '', query = ''] = head.target.split('?', 2)
  if (found !== path) return failure(404, `DNS over HTTPS is at ${path}`)
  switch (head.method) {
    case 'GET':
      return messageOf(query) ?? failure(400, 'dns needs one message in base64url, unpadded')
    case 'POST':
      if (!isDnsMessage(head.contentType)) return failure(415, `the content is not ${mediaType}`)
      return head.contentOctets > maxMessageOctets ? tooLarge : 'content'
    default:
      return failure(405, 'only GET and POST', { allow: 'GET, POST' })
  }
}

/** RFC 8484 section 4.1. */
function messageOf(query: string): Uint8Array | undefined {
  const text = new URLSearchParams(query).getAll('dns')
  const [dns = ''] = text
  if (text.length !== 1 || !/^[\w-]+$/.test(dns)) return undefined
  return Buffer.from(dns, 'base64url')
}

function isDnsMessage(contentType = ''): boolean {
  const [type = ''] = contentType.split(';', 1)
  return type.trim().toLowerCase() === mediaType
}

/** Any DNS response is a success in HTTP, regardless of its rcode (RFC 8484 section 4.2.1). It owns `message`. */
export function success(message: Uint8Array): HttpResponse {
  const headers = {
    'content-type': mediaType,
    'content-length': message.length,
    'cache-control': `max-age=${freshSeconds(message)}`,
  }
  return { status: 200, headers, body: message }
}

/** How long HTTP caches may keep a response of ours (RFC 8484 section 5.1): the lowest TTL of its answers; without answers, as
 *  RFC 2308 section 5 defines; not at all where the response is no answer. */
export function freshSeconds(response: Uint8Array): number {
  // A response with an extended one has no answers and no SOA.
  const rcode = rcodeOf(u16(response, 2))
  if (rcode !== rcodes.noError && rcode !== rcodes.nxDomain) return 0
  let at = headerOctets
  for (let left = u16(response, 4); left > 0; left -= 1) {
    at = skipName(response, at, response.length) + 4
  }
  const answerCount = u16(response, 6)
  let least = Number.POSITIVE_INFINITY
  for (let left = answerCount; left > 0; left -= 1) {
    const { ttlSeconds, end } = recordAt(response, at)
    least = Math.min(least, ttlSeconds)
    at = end
  }
  if (answerCount > 0 && rcode === rcodes.noError) return least
  for (let left = u16(response, 8); left > 0; left -= 1) {
    const { type, ttlSeconds, end } = recordAt(response, at)
    // MINIMUM is the last field of the SOA.
    if (type === types.SOA) return Math.min(least, ttlSeconds, u32(response, end - 4))
    at = end
  }
  return 0
}

/** Type, class, TTL and length. */
const fixedOctets = 10

/** The record at `at`. Its names are not read: in a response of thousands of records they can have megabytes of labels. */
function recordAt(octets: Uint8Array, at: number) {
  const typeAt = skipName(octets, at, octets.length)
  const rdataAt = typeAt + fixedOctets
  const end = rdataAt + u16(octets, rdataAt - 2)
  return { type: u16(octets, typeAt), ttlSeconds: u32(octets, typeAt + 4), end }
}

export function failure(
  status: number,
  reason: string,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  const body = Buffer.from(`${reason}\n`)
  const own = { 'content-type': 'text/plain; charset=utf-8', 'content-length': body.length }
  return { status, headers: { ...own, ...headers }, body }
}

export const tooLarge = failure(413, `a message has at most ${maxMessageOctets} octets`)
export const noMessage = failure(400, 'the content is no DNS message')
