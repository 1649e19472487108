import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { clientOf } from '../client-of.ts'
import { type ConnectionCaps, ConnectionTable } from '../connection-table.ts'
import type { Logger } from '../log.ts'
import { createServer } from '../node-http.ts'
import { Answerer, type AnswererOptions, type Messages } from './answerer.ts'
import { consolePages, type Pages } from './console.ts'
import { plain } from './dialect.ts'
import { accessLog } from './middleware/access-log.ts'
import { answerError } from './middleware/answer-error.ts'
import { BodyMemory } from './middleware/body-memory.ts'
import { IdempotencyKeys } from './middleware/idempotency-keys.ts'
import { giveId, notePeer, originFinder, proxyFinder } from './middleware/request-notes.ts'
import { PacedConnection } from './paced-connection.ts'
import type { Mount } from './route-table.ts'

/** Resolves when all acknowledged writes of all nodes are visible here; otherwise with the possible age of the visible data. */
export type CaughtUp = () => Promise<{ readonly staleSeconds: number } | undefined>

export type ApiOptions = Omit<AnswererOptions, 'bodies' | 'replies' | 'idempotencyKeys'> & {
  readonly mounts: readonly Mount[]
  /** Proxies trusted to give the origin of a request: addresses, networks, `loopback`, `linklocal`, `uniquelocal`. */
  readonly trustedProxies?: readonly string[]
  /** Given if other servers share the store. */
  readonly caughtUp?: CaughtUp | undefined
  /** Folder with the built pages of the console; none are served without it. */
  readonly consoleFolder?: string
  readonly connectionCaps?: ConnectionCaps
}

export type ListenAddress = { readonly host: string; readonly port: number }

// A request must arrive within these limits: slow senders hold connections.
const headersTimeoutMs = 20_000
const requestTimeoutMs = 60_000
// Longer than the usual 60 s of proxies, so that the proxy is the one to close an idle connection.
const keepAliveTimeoutMs = 65_000
/** A client that takes its part loses the connection that it has not used for longest. */
const defaultConnectionCaps: ConnectionCaps = {
  maxConnections: 10_000,
  maxConnectionsPerClient: 2_500,
}
const closeDeadlineMs = 5_000

/** Builds the HTTP part of the server; it serves once it listens. */
export function createApi(options: ApiOptions): Api {
  return new Api(listener(options), options)
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void

/** The HTTP server. */
export class Api {
  readonly #server: Server
  readonly #logger: Logger
  readonly #connections = new Map<Socket, PacedConnection>()
  readonly #table: ConnectionTable<PacedConnection>
  readonly #isProxy: (address: string) => boolean
  #closed: Promise<void> | undefined

  constructor(
    answer: Listener,
    { logger, trustedProxies = [], connectionCaps = defaultConnectionCaps }: ApiOptions,
  ) {
    this.#logger = logger
    this.#table = new ConnectionTable(connectionCaps)
    this.#isProxy = trustedProxies.length > 0 ? proxyFinder(trustedProxies) : () => false
    this.#server = createServer(
      {
        headersTimeout: headersTimeoutMs,
        requestTimeout: requestTimeoutMs,
        keepAliveTimeout: keepAliveTimeoutMs,
      },
      (request, response) => {
        this.#connections.get(request.socket)?.began(request, response)
        if (this.#closed !== undefined) this.#closeAfter(response)
        answer(request, response)
      },
    )
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
      const client = this.#clientOf(socket)
      if (!this.#table.makeRoom(client)) {
        socket.destroy()
        return
      }
      const connection = new PacedConnection(socket)
      this.#connections.set(socket, connection)
      this.#table.add(connection, client)
      socket.once('close', () => {
        this.#connections.delete(socket)
        this.#table.delete(connection)
      })
    })
  }

  /** Each connection of a trusted proxy counts by itself: there are many clients behind it. */
  #clientOf({ remoteAddress = '', remotePort }: Socket): string {
    const client = clientOf(remoteAddress)
    return this.#isProxy(remoteAddress) ? `${client} ${remotePort}` : client
  }

  /** Makes a response the last one on its connection, which would otherwise be kept open. */
  #closeAfter(response: ServerResponse): void {
    if (!response.headersSent) response.setHeader('connection', 'close')
    response.on('close', () => this.#closeConnectionsAtRest())
  }

  /** Node.js does not close idle connections that have not sent anything yet. */
  #closeConnectionsAtRest(): void {
    for (const [socket, { unanswered }] of this.#connections)
      if (unanswered.length === 0) socket.destroySoon()
  }
}

/** Answers every request at the mount with the longest base that its path begins with; the pages of the console come before
 *  the mount without a base. */
function listener(options: ApiOptions): Listener {
  const { trustedProxies = [], consoleFolder, caughtUp } = options
  const originOf = trustedProxies.length > 0 ? originFinder(trustedProxies) : undefined
  const logAnswer = accessLog(options.logger)
  const shared: AnswererOptions = {
    ...options,
    bodies: new BodyMemory(),
    replies: new BodyMemory(),
    idempotencyKeys: new IdempotencyKeys(),
  }
  const answerers = withRoot(options.mounts).map(mount => new Answerer(mount, shared))
  const pages = consoleFolder === undefined ? undefined : consolePages(consoleFolder)
  return async (request, response) => {
    notePeer(request, originOf?.(request))
    giveId(request)
    logAnswer(request, response)
    try {
      const path = pathOf(request)
      const answerer = answerers.find(({ base }) => isBelow(path, base))
      if (pages && answerer?.base === '') await passBy(pages, { request, response })
      if (caughtUp) await readLatest(caughtUp, path, response)
      await answerer?.answer({ request, response }, path)
    } catch (error) {
      answerError(error, { ...options, dialect: plain, request, response })
    }
  }
}

/** The state of a node must not depend on whether others can be reached. */
const ownPaths = ['/healthz', '/readyz', '/metrics']

/** Resolves once this server has all writes that others have acknowledged: a client that writes at one node and reads at another
 *  sees its write. Where that cannot be determined, the response gives the possible age of its data. */
async function readLatest(
  caughtUp: CaughtUp,
  path: string,
  response: ServerResponse,
): Promise<void> {
  if (ownPaths.includes(path)) return
  const stale = await caughtUp()
  if (stale !== undefined) response.setHeader('zonewright-stale', String(stale.staleSeconds))
}

/** The path of a request, without query. A client may send a whole URL (RFC 9112 section 3.2.2). */
function pathOf({ url = '' }: IncomingMessage): string {
  if (!url.startsWith('/') && URL.canParse(url)) return new URL(url).pathname
  const queryAt = url.indexOf('?')
  return queryAt < 0 ? url : url.slice(0, queryAt)
}

function isBelow(path: string, base: string): boolean {
  if (base === '') return true
  return path.startsWith(base) && (path.length === base.length || path[base.length] === '/')
}

/** Resolves where none of the pages is asked for; otherwise never, as one of them is the answer. */
function passBy(pages: Pages, { request, response }: Messages): Promise<void> {
  return new Promise((resolve, reject) =>
    pages(request, response, error => (error ? reject(error) : resolve())),
  )
}

/** The longest base first; one of them is the root. */
function withRoot(mounts: readonly Mount[]): readonly Mount[] {
  const hasRoot = mounts.some(mount => mount.base === '')
  const all = hasRoot ? mounts : [...mounts, { base: '', dialect: plain, routes: [] }]
  return all.toSorted((one, other) => other.base.length - one.base.length)
}
