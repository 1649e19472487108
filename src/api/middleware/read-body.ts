import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { ApiError, type ErrorType } from '../../errors.ts'
import { TimeSlice, undivided } from '../../time-slice.ts'
import type { HeldBody } from './body-memory.ts'

/** The most octets of a body, unless a route sets another limit: room for the longest recordset, and far above the 300 kB that
 *  must not be refused. */
export const maxBodyOctets = 1024 * 1024

/** The octets of a body that are not counted for its project, and the most that a body without a project may have: anyone may send
 *  one, on thousands of connections, and end none. */
const uncountedOctets = 64 * 1024

/** The octets of a body beyond its limit that are still read and discarded, so that the client sees the refusal; a body longer
 *  than that loses its connection. */
const drainedOctets = 7 * maxBodyOctets

/** Longer texts are parsed in a separate turn of the event loop. */
const longText = 128 * 1024

/** A body that is not parsed. */
export type TextBody = {
  readonly mediaType: string
  readonly maxOctets: number
  /** Whether it is passed on as the octets of its pieces: a text of many megabytes, copied in one go, would hold up the event loop. */
  readonly isInPieces?: boolean
}

/** The bodies that a route accepts. */
export type BodyRules = {
  /** An empty body counts as `{}` instead of being refused, and so does `null`, which some clients send for it. */
  readonly allowsEmptyBody?: boolean
  /** The most octets of a JSON body, where that is more than usual. */
  readonly maxBodyOctets?: number
  /** The text body that it accepts besides JSON. */
  readonly textBody?: TextBody
  /** A body is JSON whatever its content type, if the request has an API key: pages of other sites cannot send that header. */
  readonly takesAnyMediaType?: boolean
}

/** Reads a body: a JSON object, or unparsed text or its pieces where the route accepts its media type. Octets beyond 64 KiB
 *  are counted in `held`, for the caller to release; without it, a body has no more.
 *  @throws ApiError request_too_large, too_many_requests, unsupported_content_type, empty_request_body, invalid_json,
 *  invalid_object; bad_request text that is not UTF-8 */
export async function readBody(
  request: IncomingMessage,
  rules: BodyRules = {},
  held?: HeldBody,
): Promise<object | string | readonly Uint8Array[]> {
  const { allowsEmptyBody = false, textBody, takesAnyMediaType = false } = rules
  const isText = textBody !== undefined && mediaTypeOf(request) === textBody.mediaType
  if (isText && textBody.isInPieces === true) return readPieces(request, textBody, held)
  const body = new BodyPieces(decoded)
  const usualOctets = held === undefined ? uncountedOctets : maxBodyOctets
  const jsonOctets = rules.maxBodyOctets ?? usualOctets
  await readInto(body, request, { maxOctets: isText ? textBody.maxOctets : jsonOctets, held })
  if (body.isEmpty && allowsEmptyBody) return {}
  if (!takesAnyMediaType || request.headers['x-api-key'] === undefined)
    requireMediaType(request, textBody)
  requireNoEncoding(request)
  const text = body.pieces(isText ? 'bad_request' : 'invalid_json').join('')
  if (text.trim() === '') throw emptyBody()
  if (isText) return text
  if (allowsEmptyBody && text.trim() === 'null') return {}
  if (text.length < longText) return parseObject(text)
  const value = await undivided(() => parseObject(text))
  // The handler's work on it takes about as long again.
  await new TimeSlice().yield()
  return value
}

async function readPieces(
  request: IncomingMessage,
  textBody: TextBody,
  held: HeldBody | undefined,
): Promise<readonly Uint8Array[]> {
  const body = new BodyPieces(ownOctets)
  await readInto(body, request, { maxOctets: textBody.maxOctets, held })
  requireNoEncoding(request)
  const pieces = body.pieces('bad_request')
  const [first] = pieces
  if (pieces.length === 1 && first !== undefined && decoded(first).trim() === '') throw emptyBody()
  return pieces
}

/** Reads a body that has arrived at once, as most have, and others by listeners: an iterator would cost a short body more than all
 *  that is done with it. */
function readInto(
  body: BodyPieces<unknown>,
  request: IncomingMessage,
  { maxOctets, held }: { readonly maxOctets: number; readonly held: HeldBody | undefined },
): Promise<void> {
  const maxDrainedOctets = maxOctets + drainedOctets
  const tooLarge = () =>
    new ApiError('request_too_large', `The body is longer than ${maxOctets} octets`)
  return new Promise((resolve, reject) => {
    let octetCount = 0
    let isOver = false
    const refuse = (error: unknown) => {
      isOver = true
      // Refusing early must not destroy the request: the refusal goes out on the same socket.
      request.pause()
      reject(error)
    }
    const take = (chunk: Buffer) => {
      if (isOver) return
      octetCount += chunk.length
      try {
        if (octetCount > maxDrainedOctets) throw tooLarge()
        if (octetCount > maxOctets) return
        if (octetCount > uncountedOctets) held?.add(chunk.length)
        body.add(chunk)
      } catch (error) {
        refuse(error)
      }
    }
    const end = () => {
      if (isOver) return
      isOver = true
      if (octetCount > maxOctets) reject(tooLarge())
      else resolve()
    }
    const leave = (cause?: Error) => {
      if (!isOver) refuse(new ApiError('bad_request', 'The body ended early', { cause }))
    }
    const takeAll = () => {
      const all: Buffer | null = request.read()
      if (all !== null) take(all)
      end()
    }
    if (Number(request.headers['content-length'] ?? 0) > maxDrainedOctets) refuse(tooLarge())
    else if (request.destroyed) leave()
    else if (request.complete) takeAll()
    else request.on('data', take).on('end', end).on('error', leave).on('close', leave)
  })
}

/** The least octets of a piece. */
const pieceOctets = 1 << 20

/** UTF-8 that is read a piece at a time as it arrives: reading a long body at its end would hold up the event loop. */
export class BodyPieces<T> {
  readonly #read: (octets: Buffer, isFirst: boolean) => T
  #octetCount = 0
  #chunks: Buffer[] = []
  #chunksOctets = 0
  readonly #pieces: T[] = []
  #problem: unknown

  /** @param read throws where they are not UTF-8; pieces end with a character */
  constructor(read: (octets: Buffer, isFirst: boolean) => T) {
    this.#read = read
  }

  get isEmpty(): boolean {
    return this.#octetCount === 0
  }

  add(chunk: Buffer): void {
    this.#octetCount += chunk.length
    this.#chunks.push(chunk)
    this.#chunksOctets += chunk.length
    if (this.#chunksOctets >= pieceOctets) this.#readChunks({ isLast: false })
  }

  /** All of it. @throws ApiError `refusal` it is not UTF-8 */
  pieces(refusal: ErrorType): readonly T[] {
    this.#readChunks({ isLast: true })
    if (this.#problem !== undefined)
      throw new ApiError(refusal, 'The body is not UTF-8', { cause: this.#problem })
    return this.#pieces
  }

  #readChunks({ isLast }: { readonly isLast: boolean }): void {
    const [only, ...others] = this.#chunks
    const octets = only !== undefined && others.length === 0 ? only : Buffer.concat(this.#chunks)
    const end = isLast ? octets.length : endOfCharacters(octets)
    this.#chunks = [octets.subarray(end)]
    this.#chunksOctets = octets.length - end
    try {
      this.#pieces.push(this.#read(octets.subarray(0, end), this.#pieces.length === 0))
    } catch (problem) {
      this.#problem ??= problem
    }
  }
}

// A byte order mark counts only at the beginning.
const firstDecoder = new TextDecoder('utf-8', { fatal: true })
const laterDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** @throws TypeError they are not UTF-8 */
export function decoded(octets: Uint8Array, isFirst = true): string {
  return (isFirst ? firstDecoder : laterDecoder).decode(octets)
}

/** Octets that share their memory with no others.
 *  @throws TypeError they are not UTF-8 */
export function ownOctets(octets: Uint8Array): Uint8Array {
  if (!isUtf8(octets)) throw new TypeError('These octets are not UTF-8')
  return octets.length === octets.buffer.byteLength ? octets : new Uint8Array(octets)
}

function emptyBody(): ApiError {
  return new ApiError('empty_request_body', 'The request has an empty body')
}

/** The start of a last character that may continue after these octets; their end, if there is none. */
function endOfCharacters(octets: Buffer): number {
  let at = octets.length - 1
  while (at > octets.length - 4 && ((octets[at] as number) & 0xc0) === 0x80) at -= 1
  return (octets[at] as number) < 0x80 ? octets.length : at
}

function mediaTypeOf({ headers }: IncomingMessage): string {
  const [mediaType = ''] = (headers['content-type'] ?? '').split(';')
  return mediaType.trim().toLowerCase()
}

function requireMediaType(request: IncomingMessage, textBody: TextBody | undefined): void {
  const mediaTypes = ['application/json', ...(textBody === undefined ? [] : [textBody.mediaType])]
  if (!mediaTypes.includes(mediaTypeOf(request)))
    throw new ApiError(
      'unsupported_content_type',
      `Content-type must be ${mediaTypes.join(' or ')}`,
    )
}

function requireNoEncoding({ headers }: IncomingMessage): void {
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
    const reason = (cause as SyntaxError).message
    throw new ApiError('invalid_json', `The body is not valid JSON: ${reason}`, { cause })
  }
}

// An own key of this name is harmless here, but not in every copy made of the object.
function refusePrototype(key: string, value: unknown): unknown {
  if (key === '__proto__') throw new ApiError('invalid_object', 'The key __proto__ is not allowed')
  return value
}
