import type { Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import express, {
  type Express,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express'
import type { Authenticator } from '../identity/authenticator.ts'
import type { Logger } from '../log.ts'
import { createServer } from '../node-http.ts'
import { Answerer, type AnswererOptions } from './answerer.ts'
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
import { type Mount, RouteTable } from './route-table.ts'

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
  app.use(answerMounts(options.mounts, { ...options, ...shared }))
  // Express recognizes an error handler by its four parameters.
  app.use((error: unknown, request: Request, response: Response, _next: NextFunction) =>
    answerError(error, { request, response, logger, dialect: plain, publicUrl, keystoneUrl }),
  )
  return app
}

type MountOptions = AnswererOptions & Pick<ApiOptions, 'ratedAt'>

/** Answers every request at the mount with the longest base that its path begins with. */
function answerMounts(mounts: readonly Mount[], options: MountOptions): RequestHandler {
  const hasRoot = mounts.some(mount => mount.base === '')
  const all = hasRoot ? [...mounts] : [...mounts, { base: '', dialect: plain, routes: [] }]
  const handlers = all
    .sort((one, other) => other.base.length - one.base.length)
    .map(mount => ({ base: mount.base, answer: mountHandler(mount, options) }))
  return (request, response, next) => {
    const { path } = request
    return handlers.find(({ base }) => isBelow(path, base))?.answer(request, response, next)
  }
}

function isBelow(path: string, base: string): boolean {
  if (base === '') return true
  return path.startsWith(base) && (path.length === base.length || path[base.length] === '/')
}

/** Answers the requests below a mount. */
function mountHandler(mount: Mount, { ratedAt, ...options }: MountOptions): RequestHandler {
  const answerer = new Answerer(mount, options)
  const table = new RouteTable(mount.routes)
  const answer: RequestHandler = (request, response) => {
    const path = withoutDoubledSlash(request.path.slice(mount.base.length)) || '/'
    const found = table.find(path)
    const exchange = { request, response, path, parameters: found?.parameters ?? {} }
    if (found === undefined) return answerer.answerUnknown(exchange)
    return answerer.answer(exchange, found.routes)
  }
  if (mount.isRated !== true || ratedAt === undefined) return answer
  return (request, response, next) => {
    const here = () => answer(request, response, next)
    return passOn(ratedAt, { request, response }, { here, fail: next })
  }
}

/** Some clients join an address that ends in a slash with a path that begins with one; the oldest always do. */
function withoutDoubledSlash(path: string): string {
  return path.startsWith('//') ? path.replace(/^\/+/, '/') : path
}
