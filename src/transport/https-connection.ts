import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  constants,
  type IncomingHttpHeaders,
  performServerHandshake,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import type { Readable, Writable } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { rcodes } from '../dns/codes.ts'
import { maxMessageOctets } from '../dns/message.ts'
import { createServer } from '../node-http.ts'
import type { Answer, Report } from './answer.ts'
import {
  failure,
  type HttpRequestHead,
  type HttpResponse,
  noMessage,
  readHead,
  success,
  tooLarge,
} from './https-message.ts'
import type { ConnectionTimeouts } from './tcp-connection.ts'
import { responseWithoutRecords } from './transfers.ts'

// One client of DNS over HTTPS (RFC 8484), over HTTP/2 or HTTP/1.1 as negotiated in TLS. Its cost is bounded: concurrent
// requests, octets held for it, and the time until one of its requests is done.

/** ALPN names, the preferred one first. */
export const httpsProtocols = ['h2', 'http/1.1']

/** RFC 9113 section 6.5.2 recommends at least this many. */
const maxStreams = 100
/** Octets of header fields; a query in a URL takes a few hundred. */
const maxHeaderOctets = 16_384
/** Octets of incoming content and outgoing responses. */
const maxHeldOctets = 16 * maxMessageOctets

const http2Settings = {
  settings: { maxConcurrentStreams: maxStreams, maxHeaderListSize: maxHeaderOctets },
  maxSessionMemory: 2,
}

/** The state that the connections of a listener share. */
export class HttpsExchange {
  readonly #answer: Answer
  readonly #report: Report
  readonly #buffer = new Uint8Array(maxMessageOctets)
  readonly #connections = new WeakMap<object, HttpsConnection>()
  readonly #http1 = createServer({ maxHeaderSize: maxHeaderOctets, keepAliveTimeout: 0 })

  constructor(answer: Answer, report: Report) {
    this.#answer = answer
    this.#report = report
    this.#http1.on('request', (request, response) =>
      this.#connections.get(request.socket)?.takeRequest(request, response),
    )
  }

  /** Routes the HTTP/1.1 requests on `socket` to `connection`. */
  beginHttp1(socket: TLSSocket, connection: HttpsConnection): void {
    this.#connections.set(socket, connection)
    this.#http1.emit('connection', socket)
  }

  respond(request: Uint8Array, address: string): HttpResponse {
    if (request.length > maxMessageOctets) return tooLarge
    try {
      const response = this.#answer(request, 'tcp', this.#buffer, address)
      if (response === undefined) return noMessage
      // RFC 8484 does not define responses of several messages.
      if (!(response instanceof Uint8Array))
        return success(responseWithoutRecords(response, rcodes.refused))
      return success(response.slice())
    } catch (error) {
      this.#report(error)
      return failure(500, 'the query could not be answered')
    }
  }
}

export type HttpsConnectionOptions = {
  readonly exchange: HttpsExchange
  /** The client's address. */
  readonly address: string
  readonly timeouts: ConnectionTimeouts
}

/** Answers one client until either side closes. Never throws. */
export class HttpsConnection {
  readonly #socket: TLSSocket
  readonly #options: HttpsConnectionOptions
  #session: ServerHttp2Session | undefined
  #timer: NodeJS.Timeout | undefined
  #isSecure = false
  #isFinishing = false
  #openCount = 0
  #heldOctets = 0
  #idleSinceMs = performance.now()

  /** Owns `socket` from here on; it emits `secure` once, before anything can be read from it. */
  constructor(socket: TLSSocket, options: HttpsConnectionOptions) {
    this.#socket = socket
    this.#options = options
    socket.setNoDelay(true)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => clearTimeout(this.#timer))
    socket.once('secure', () => this.#begin())
    this.#arm('handshakeMs')
  }

  /** As that of `TcpConnection`. */
  get idleSinceMs(): number | undefined {
    return this.#openCount > 0 ? undefined : this.#idleSinceMs
  }

  /** Answers what has arrived, then closes. */
  finish(): void {
    if (!this.#isSecure) {
      this.destroy()
      return
    }
    this.#isFinishing = true
    this.#session?.close()
    this.#settle()
  }

  destroy(): void {
    this.#session?.destroy()
    this.#socket.destroy()
  }

  /** A request of HTTP/1.1. */
  takeRequest(request: IncomingMessage, response: ServerResponse): void {
    const { method = '', url: target = '', headers } = request
    this.#take({
      head: headOf({ method, target, headers }),
      request,
      response,
      isWhole: () => request.complete,
      send: ({ status, headers: own, body }) => {
        const isCutOff = !request.complete && hasContent(headers)
        // The rest of the content would be read as the next request.
        const isLast = this.#isFinishing || isCutOff
        response.writeHead(status, isLast ? { ...own, connection: 'close' } : own)
        if (isCutOff) endAfterContent(request, response, body)
        else response.end(body)
      },
    })
  }

  #begin(): void {
    this.#isSecure = true
    this.#arm('idleMs')
    const { exchange } = this.#options
    if (this.#socket.alpnProtocol !== 'h2') {
      exchange.beginHttp1(this.#socket, this)
      return
    }
    const session = performServerHandshake(this.#socket, http2Settings)
    this.#session = session
    session.on('error', () => this.destroy())
    session.on('stream', (stream, headers) => this.#takeStream(stream, headers))
    // The session waits for this from a socket that `tls.Server` has not made.
    this.#socket.emit('secureConnect')
  }

  #takeStream(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    const { ':method': method = '', ':path': target = '' } = headers
    this.#take({
      head: headOf({ method: `${method}`, target: `${target}`, headers }),
      request: stream,
      response: stream,
      isWhole: () => !(stream.aborted || stream.destroyed),
      send: ({ status, headers: own, body }) => {
        const endStream = method === 'HEAD'
        stream.respond({ ':status': status, ...own }, { endStream })
        if (endStream) return
        stream.end(body, () => {
          // RFC 9113 section 8.1: the rest of the content is not needed.
          if (!stream.readableEnded) stream.close(constants.NGHTTP2_NO_ERROR)
        })
      },
    })
  }

  #take({ head, request, response, isWhole, send }: Exchange): void {
    const { exchange, address } = this.#options
    let held = 0
    const hold = (octets: number) => {
      held += octets
      this.#heldOctets += octets
      if (this.#heldOctets > maxHeldOctets) this.destroy()
    }
    let isAnswered = false
    const finish = (answered: HttpResponse) => {
      if (isAnswered || response.destroyed) return
      isAnswered = true
      hold(answered.body.length)
      send(answered)
    }
    this.#openCount += 1
    if (this.#openCount === 1) this.#arm('writeMs')
    response.once('close', () => {
      this.#heldOctets -= held
      this.#openCount -= 1
      this.#settle()
    })
    // A client may reset a request at any time; 'close' follows.
    request.on('error', () => undefined)
    response.on('error', () => undefined)
    const found = readHead(head)
    if (found instanceof Uint8Array) finish(exchange.respond(found, address))
    else if (found !== 'content') finish(found)
    const parts: Uint8Array[] = []
    let octets = 0
    request.on('data', (part: Uint8Array) => {
      if (isAnswered) return
      octets += part.length
      hold(part.length)
      parts.push(part)
      if (octets > maxMessageOctets) finish(tooLarge)
    })
    request.on('end', () => {
      // The stream also ends when the client resets it.
      if (!isAnswered && isWhole()) finish(exchange.respond(Buffer.concat(parts), address))
    })
  }

  /** Called after a request or the connection has ended. */
  #settle(): void {
    if (this.#socket.destroyed) return
    this.#idleSinceMs = performance.now()
    if (this.#openCount > 0) {
      this.#arm('writeMs')
      return
    }
    if (this.#isFinishing && this.#session === undefined) this.#socket.end()
    this.#arm(this.#isFinishing ? 'lingerMs' : 'idleMs')
  }

  #arm(deadline: keyof ConnectionTimeouts): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#expire(), this.#options.timeouts[deadline])
  }

  #expire(): void {
    if (this.#isFinishing || this.#openCount > 0) this.destroy()
    else this.finish()
  }
}

/** RFC 9112 section 6. */
function hasContent(headers: IncomingHttpHeaders): boolean {
  return (headers['content-length'] ?? '0') !== '0' || headers['transfer-encoding'] !== undefined
}

/** Writes a response, and ends it when the rest of the content has arrived: a client that is still sending when the connection
 *  is closed loses the response (RFC 9112 section 9.6). One that sends without end is cut off. */
function endAfterContent(request: IncomingMessage, response: ServerResponse, body: Uint8Array) {
  response.write(body)
  let octets = 0
  request.on('data', (part: Uint8Array) => {
    octets += part.length
    if (octets > maxHeldOctets) response.end()
  })
  request.on('end', () => response.end())
}

/** One request and its response. */
type Exchange = {
  readonly head: HttpRequestHead
  readonly request: Readable
  readonly response: Writable
  /** Whether all of the content has arrived. */
  readonly isWhole: () => boolean
  readonly send: (response: HttpResponse) => void
}

function headOf({
  headers,
  ...parts
}: Pick<HttpRequestHead, 'method' | 'target'> & {
  readonly headers: IncomingHttpHeaders
}): HttpRequestHead {
  const { 'content-type': contentType, 'content-length': length } = headers
  return { ...parts, contentType, contentOctets: Number.parseInt(length ?? '', 10) }
}
