import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import express, {
  type Express,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
  type Router,
} from 'express'
import type { Authenticator } from '../identity/authenticator.ts'
import type { Logger } from '../log.ts'
import { createServer } from '../node-http.ts'
import { Answerer, type AnswererOptions, type Exchange } from './answerer.ts'
import { consolePages } from './console.ts'
import { plain } from './dialect.ts'
import { accessLog } from './middleware/access-log.ts'
import { answerError } from './middleware/answer-error.ts'
import { BodyMemory } from './middleware/body-memory.ts'
import { IdempotencyKeys } from './middleware/idempotency-keys.ts'
import { passOn, type RatedAt } from './middleware/pass-on.ts'
import { notePeer } from './middleware/peer.ts'
import { type CaughtUp, readLatest } from './middleware/read-latest.ts'
import { giveId } from './middleware/request-id.ts'
import { PacedConnection } from './paced-connection.ts'
import { type Mount, routeTable } from './route-table.ts'

export type ApiOptions = {
  readonly mounts: readonly Mount[]
  /** Authenticates requests. */
  readonly identity: Authenticator
  readonly logger: Logger
  /** Base of links and of the catalog; undefined: the address in each request's Host header. */
  readonly publicUrl?: string | undefined
  /** Proxies trusted to give the origin of a request: addresses, networks, `loopback`, `linklocal`, `uniquelocal`. */
  readonly trustedProxies?: readonly string[]
  /** The address where clients log in, if that is not our own identity service. */
  readonly keystoneUrl?: string | undefined
  /** Given if other servers share the store. */
  readonly caughtUp?: CaughtUp | undefined
  /** Where usage is rated, if that is not always on this node. */
  readonly ratedAt?: RatedAt | undefined
  readonly onAnswered?: AnswererOptions['onAnswered']
  /** Folder with the built pages of the console; none are served without it. */
  readonly consoleFolder?: string
}

export type ListenAddress = { readonly host: string; readonly port: number }

// A request must arrive within these limits: slow senders hold connections.
const headersTimeoutMs = 20_000
const requestTimeoutMs = 60_000
// Longer than the usual 60 s of proxies, so that the proxy is the one to close an idle connection.
const keepAliveTimeoutMs = 65_000
const maxConnections = 10_000
const closeDeadlineMs = 5_000

/** Builds the HTTP part of the server; it serves once it listens. */
export function createApi(options: ApiOptions): Api {
  return new Api(expressApp(options), options.logger)
}

/** The HTTP server. */
export class Api {
  readonly #server: Server
  readonly #logger: Logger
  readonly #connections = new Map<Socket, PacedConnection>()
  #closed: Promise<void> | undefined

  constructor(app: Express, logger: Logger) {
    this.#logger = logger
    this.#server = createServer(
      {
        headersTimeout: headersTimeoutMs,
        requestTimeout: requestTimeoutMs,
        keepAliveTimeout: keepAliveTimeoutMs,
      },
      (request, response) => {
        this.#connections.get(request.socket)?.began(request, response)
        if (this.#closed !== undefined) this.#closeAfter(response)
        app(request, response)
      },
    )
    this.#server.maxConnections = maxConnections
    this.#paceConnections()
  }

  /** Starts to serve and resolves with the address served at; port 0 takes a free one.
   *  @throws NodeJS.ErrnoException the address is in use, not permitted or not ours */
  listen({ host, port }: ListenAddress): Promise<ListenAddress> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen({ host, port }, () => {
        this.#server.off('error', reject)
        // An error in accepting one connection must not stop the others.
        this.#server.on('error', err => this.#logger.error({ err }, 'connection not accepted'))
        const { address, port: boundPort } = this.#server.address() as AddressInfo
        resolve({ host: address, port: boundPort })
      })
    })
  }

  /** Accepts no more connections, lets running requests finish, and cuts off the rest at the deadline. Further calls wait for
   *  the same end. */
  close({ deadlineMs = closeDeadlineMs } = {}): Promise<void> {
    this.#closed ??= this.#closeBy(deadlineMs)
    return this.#closed
  }

  async #closeBy(deadlineMs: number): Promise<void> {
    if (!this.#server.listening) return
    const closed = new Promise<void>(resolve => this.#server.close(() => resolve()))
    for (const { unanswered } of this.#connections.values())
      for (const response of unanswered) this.#closeAfter(response)
    this.#closeConnectionsAtRest()
    const deadline = setTimeout(() => this.#server.closeAllConnections(), deadlineMs)
    await closed
    clearTimeout(deadline)
  }

  #paceConnections(): void {
    // After the listener of the HTTP server, which adds its own to the socket.
    this.#server.on('connection', (socket: Socket) => {
      this.#connections.set(socket, new PacedConnection(socket))
      socket.once('close', () => this.#connections.delete(socket))
    })
  }

  /** Makes a response the last one on its connection, which would otherwise be kept open. */
  #closeAfter(response: ServerResponse): void {
    if (!response.headersSent) response.setHeader('connection', 'close')
    response.on('close', () => this.#closeConnectionsAtRest())
  }

  /** Node.js does not close idle connections that have not sent anything yet. */
  #closeConnectionsAtRest(): void {
    for (const [socket, { unansweredCount }] of this.#connections)
      if (unansweredCount === 0) socket.destroySoon()
  }
}

function expressApp(options: ApiOptions): Express {
  const { logger, publicUrl, keystoneUrl, trustedProxies = [] } = options
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.enable('case sensitive routing')
  app.set('query parser', 'simple')
  app.set('trust proxy', [...trustedProxies])
  const logAnswer = accessLog(logger)
  app.use((request: Request, response: Response, next: NextFunction) => {
    notePeer(request, trustedProxies.length > 0 ? request.ip : undefined)
    giveId(request)
    logAnswer(request, response)
    next()
  })
  const pages = options.consoleFolder && consolePages(options.consoleFolder)
  if (pages) app.use(pages)
  if (options.caughtUp) app.use(readLatest(options.caughtUp))
  const shared = { bodies: new BodyMemory(), idempotencyKeys: new IdempotencyKeys() }
  for (const mount of inMountOrder(options.mounts))
    app.use(mount.base === '' ? '/' : mount.base, mountHandler(mount, { ...options, ...shared }))
  // Express recognizes an error handler by its four parameters.
  app.use((error: unknown, request: Request, response: Response, _next: NextFunction) =>
    answerError(error, { request, response, logger, dialect: plain, publicUrl, keystoneUrl }),
  )
  return app
}

/** Longer bases come first and the root last, as it answers every path that no other mount has. */
function inMountOrder(mounts: readonly Mount[]): readonly Mount[] {
  const hasRoot = mounts.some(mount => mount.base === '')
  const all = hasRoot ? [...mounts] : [...mounts, { base: '', dialect: plain, routes: [] }]
  return all.sort((one, other) => other.base.length - one.base.length)
}

/** Answers the requests below a mount. A router tries its routes one after the other, and there are many: so those of paths with as
 *  many segments have one of their own. */
function mountHandler(
  mount: Mount,
  { ratedAt, ...options }: AnswererOptions & Pick<ApiOptions, 'ratedAt'>,
): RequestHandler {
  const answerer = new Answerer(mount, options)
  const routers = new Map<number, Router>()
  for (const routes of routeTable(mount.routes)) {
    const length = lengthOf(routes.path)
    const ofLength = routers.get(length) ?? express.Router({ caseSensitive: true })
    routers.set(length, ofLength)
    ofLength.all(routes.path, (request, response) =>
      answerer.answer(exchangeOf(request, response), routes),
    )
  }
  const answer: RequestHandler = (request, response, next) => {
    request.url = withoutDoubledSlash(request.url)
    const unmatched = (error?: unknown) => {
      if (error) next(error)
      else void answerer.answerUnknown(exchangeOf(request, response))
    }
    const ofLength = routers.get(lengthOf(request.path))
    if (ofLength === undefined) unmatched()
    else ofLength(request, response, unmatched)
  }
  if (mount.isRated !== true || ratedAt === undefined) return answer
  return (request, response, next) => {
    const here = () => answer(request, response, next)
    return passOn(ratedAt, { request, response }, { here, fail: next })
  }
}

/** The number of segments of a path: the one of a request and that of its route have as many. */
function lengthOf(path: string): number {
  return path.replace(/\/$/, '').split('/').length
}

/** Some clients join an address that ends in a slash with a path that begins with one; the oldest always do. */
function withoutDoubledSlash(url: string): string {
  return url.startsWith('//') ? url.replace(/^\/+/, '/') : url
}

function exchangeOf(request: Request, response: Response): Exchange {
  // No route has a wildcard, the one kind of parameter that would be a list.
  const parameters = request.params as Readonly<Record<string, string>>
  return { request: request as IncomingMessage, response, path: request.path, parameters }
}
