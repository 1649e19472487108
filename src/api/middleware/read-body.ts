import type { IncomingMessage } from 'node:http'
import { ApiError, type ErrorType } from '../../errors.ts'
import { TimeSlice, undivided } from '../../time-slice.ts'
import type { HeldBody } from './body-memory.ts'

/** The most octets of a body, unless a route sets another limit: room for the longest recordset, and far above the 300 kB that
 *  must not be refused. */
export const maxBodyOctets = 1024 * 1024

/** The octets of a body beyond its limit that are still read and discarded, so that the client sees the refusal; a body longer
 *  than that loses its connection. */
const drainedOctets = 7 * maxBodyOctets

/** Longer texts are parsed in a separate turn of the event loop. */
const longText = 128 * 1024

/** A body other than JSON. */
export type TextBody = { readonly mediaType: string; readonly maxOctets: number }

/** The bodies that a route accepts. */
export type BodyRules = {
  /** An empty body counts as `{}` instead of being refused, and so does `null`, which some clients send for it. */
  readonly allowsEmptyBody?: boolean
  /** The most octets of a JSON body, where that is more than usual. */
  readonly maxBodyOctets?: number
  /** The text body that it accepts besides JSON. */
  readonly textBody?: TextBody
}

/** Reads a body: a JSON object, or unparsed text where the route accepts its media type. Octets beyond the usual are counted in
 *  `held`, for the caller to release.
 *  @throws ApiError request_too_large, too_many_requests, unsupported_content_type, empty_request_body, invalid_json,
 *  invalid_object; bad_request text that is not UTF-8 */
export async function readBody(
  request: IncomingMessage,
  rules: BodyRules = {},
  held?: HeldBody,
): Promise<object | string> {
  const { allowsEmptyBody = false, textBody } = rules
  const isText = textBody !== undefined && mediaTypeOf(request) === textBody.mediaType
  const jsonOctets = rules.maxBodyOctets ?? maxBodyOctets
  const body = await readText(request, isText ? textBody.maxOctets : jsonOctets, held)
  if (body.isEmpty && allowsEmptyBody) return {}
  requireReadable(request, textBody)
  const text = body.text(isText ? 'bad_request' : 'invalid_json')
  if (text.trim() === '') throw new ApiError('empty_request_body', 'The request has an empty body')
  if (isText) return text
  if (allowsEmptyBody && text.trim() === 'null') return {}
  if (text.length < longText) return parseObject(text)
  const value = await undivided(() => parseObject(text))
  // The handler's work on it takes about as long again.
  await new TimeSlice().rest()
  return value
}

async function readText(
  request: IncomingMessage,
  maxOctets: number,
  held: HeldBody | undefined,
): Promise<BodyText> {
  const maxDrainedOctets = maxOctets + drainedOctets
  const tooLarge = () =>
    new ApiError('request_too_large', `The body is longer than ${maxOctets} octets`)
  if (Number(request.headers['content-length'] ?? 0) > maxDrainedOctets) throw tooLarge()
  const body = new BodyText()
  let octetCount = 0
  // Leaving the loop early must not destroy the request: the refusal goes out on the same socket.
  for await (const chunk of chunksOf(request)) {
    octetCount += chunk.length
    if (octetCount > maxDrainedOctets) throw tooLarge()
    if (octetCount > maxOctets) continue
    if (octetCount > maxBodyOctets) held?.add(chunk.length)
    body.add(chunk)
  }
  if (octetCount > maxOctets) throw tooLarge()
  return body
}

/** The most octets decoded at once. */
const partOctets = 1 << 20

/** UTF-8 that is decoded as it arrives: decoding a long body at its end would hold up the event loop. */
export class BodyText {
  #octetCount = 0
  #chunks: Buffer[] = []
  #chunksOctets = 0
  readonly #parts: string[] = []
  #problem: unknown

  get isEmpty(): boolean {
    return this.#octetCount === 0
  }

  add(chunk: Buffer): void {
    this.#octetCount += chunk.length
    this.#chunks.push(chunk)
    this.#chunksOctets += chunk.length
    if (this.#chunksOctets >= partOctets) this.#decode({ isLast: false })
  }

  /** All of it. @throws ApiError `refusal` it is not UTF-8 */
  text(refusal: ErrorType): string {
    this.#decode({ isLast: true })
    if (this.#problem !== undefined)
      throw new ApiError(refusal, 'The body is not UTF-8', { cause: this.#problem })
    return this.#parts.join('')
  }

  #decode({ isLast }: { readonly isLast: boolean }): void {
    const octets = Buffer.concat(this.#chunks)
    const end = isLast ? octets.length : endOfCharacters(octets)
    this.#chunks = [octets.subarray(end)]
    this.#chunksOctets = octets.length - end
    // A byte order mark counts only at the beginning.
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: this.#parts.length > 0 })
    try {
      this.#parts.push(decoder.decode(octets.subarray(0, end)))
    } catch (problem) {
      this.#problem ??= problem
    }
  }
}

/** The start of a last character that may continue after these octets; their end, if there is none. */
function endOfCharacters(octets: Buffer): number {
  let at = octets.length - 1
  while (at > octets.length - 4 && ((octets[at] as number) & 0xc0) === 0x80) at -= 1
  return (octets[at] as number) < 0x80 ? octets.length : at
}

async function* chunksOf(request: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    yield* request.iterator({ destroyOnReturn: false })
  } catch (cause) {
    throw new ApiError('bad_request', 'The body ended early', { cause })
  }
}

function mediaTypeOf({ headers }: IncomingMessage): string {
  const [mediaType = ''] = (headers['content-type'] ?? '').split(';')
  return mediaType.trim().toLowerCase()
}

function requireReadable(request: IncomingMessage, textBody: TextBody | undefined): void {
  const { headers } = request
  const mediaTypes = ['application/json', ...(textBody === undefined ? [] : [textBody.mediaType])]
  if (!mediaTypes.includes(mediaTypeOf(request)))
    throw new ApiError(
      'unsupported_content_type',
      `Content-type must be ${mediaTypes.join(' or ')}`,
    )
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() !== 'identity')
    throw new ApiError('unsupported_content_type', `Content-encoding ${encoding} is not supported`)
}

function parseObject(text: string): object {
  const value = parseJson(text)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw new ApiError('invalid_object', 'The body must be a JSON object')
}

function parseJson(text: string): unknown {
  // Only a text that could contain the key pays for a check of every key.
  const mayNamePrototype = text.includes('__proto__') || text.includes('\\u')
  try {
    return mayNamePrototype ? JSON.parse(text, refusePrototype) : JSON.parse(text)
  } catch (cause) {
    if (cause instanceof ApiError) throw cause
    throw new ApiError('invalid_json', 'The body is not valid JSON', { cause })
  }
}

// An own key of this name is harmless here, but not in every copy made of the object.
function refusePrototype(key: string, value: unknown): unknown {
  if (key === '__proto__') throw new ApiError('invalid_object', 'The key __proto__ is not allowed')
  return value
}
