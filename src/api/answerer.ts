import type { IncomingMessage, ServerResponse } from 'node:http'
import { actingAs } from '../actor.ts'
import { clientOf } from '../client-of.ts'
import { ApiError } from '../errors.ts'
import type { Authenticator } from '../identity/authenticator.ts'
import { requireAllowed } from '../identity/policy.ts'
import { roleNamesOf } from '../identity/principal.ts'
import type { Logger } from '../log.ts'
import { publicUrlOf } from './addresses.ts'
import { type BodyCheck, compileBody } from './body-check.ts'
import { requireAcceptable } from './middleware/accept.ts'
import { answerError } from './middleware/answer-error.ts'
import { authenticate, authenticatePrincipal } from './middleware/authenticate.ts'
import type { BodyMemory, HeldBody } from './middleware/body-memory.ts'
import type { IdempotencyKeys, KeyedRequest } from './middleware/idempotency-keys.ts'
import { passOn, type RatedAt } from './middleware/pass-on.ts'
import { readBody } from './middleware/read-body.ts'
import { actorOf, notesOf, peerOf, requestIdOf } from './middleware/request-notes.ts'
import { sendReply } from './middleware/send-reply.ts'
import { uuidParameter } from './parameters.ts'
import type {
  CallerRoute,
  PrincipalRoute,
  PublicContext,
  PublicRoute,
  Reply,
  Route,
} from './route.ts'
import { type Mount, type PathRoutes, RouteTable } from './route-table.ts'

/** Of a response that is not counted. */
const shortReplyOctets = 64 * 1024

/** A request that has been answered. */
export type AnsweredRequest = {
  readonly method: string
  /** The path in the declaration of its route, with its mount: `/v2/zones/:zone_id`; undefined without a route. */
  readonly route: string | undefined
  readonly status: number
  /** From the headers of the request to the end of the response. */
  readonly seconds: number
}

/** A request and its response. */
export type Messages = { readonly request: IncomingMessage; readonly response: ServerResponse }

/** The same with the results of routing. */
type Exchange = Messages & {
  /** Below the mount, without query. */
  readonly path: string
  readonly parameters: Readonly<Record<string, string>>
}

export type AnswererOptions = {
  readonly identity: Authenticator
  readonly logger: Logger
  /** The address where clients log in; undefined: below the base of links. */
  readonly keystoneUrl?: string | undefined
  /** Base of links and of the catalog; undefined: the address in the Host header. */
  readonly publicUrl?: string | undefined
  /** One for all mounts. */
  readonly bodies: BodyMemory
  /** The same for responses. */
  readonly replies: BodyMemory
  readonly idempotencyKeys: IdempotencyKeys
  /** Where usage is rated, if that is not always on this node. */
  readonly ratedAt?: RatedAt | undefined
  /** Called after each response. */
  readonly onAnswered?: ((answered: AnsweredRequest) => void) | undefined
}

/** Answers the requests below a mount. The steps of each, in order: credentials, method, Accept, body, schema, policy, handler,
 *  response. A step that refuses throws, and one place answers the error. */
export class Answerer {
  readonly #mount: Mount
  readonly #options: AnswererOptions
  readonly #table: RouteTable
  readonly #checks = new Map<Route, BodyCheck>()

  constructor(mount: Mount, options: AnswererOptions) {
    this.#mount = mount
    this.#options = options
    this.#table = new RouteTable(mount.routes)
    for (const route of mount.routes)
      if (route.bodySchema !== undefined) this.#checks.set(route, compileBody(route.bodySchema))
  }

  /** What the paths of its requests begin with. */
  get base(): string {
    return this.#mount.base
  }

  /** Answers a request, here or where usage is rated.
   *  @param path without query
   *  @throws URIError, StoreUnavailableError */
  async answer(messages: Messages, path: string): Promise<void> {
    const { ratedAt } = this.#options
    const here = () => this.#answerHere(messages, path)
    if (this.#mount.isRated !== true || ratedAt === undefined) return here()
    return passOn(ratedAt, messages, { here })
  }

  async #answerHere({ request, response }: Messages, whole: string): Promise<void> {
    const path = withoutDoubledSlash(whole.slice(this.base.length)) || '/'
    const { routes, parameters = {} } = this.#table.find(path) ?? {}
    const exchange = { request, response, path, parameters }
    const beganAt = performance.now()
    try {
      // What a change answers is sent in any case: it is made.
      const isRead = request.method === 'GET'
      const hold = isRead ? (octets: number) => this.#hold(request, response, octets) : undefined
      await sendReply(response, await this.#replyOf(exchange, routes), hold)
    } catch (error) {
      if (error instanceof ClientLeftError) return
      const { dialect } = this.#mount
      answerError(error, { ...this.#options, dialect, request, response })
    } finally {
      this.#options.onAnswered?.({
        method: request.method ?? '',
        route: routes && this.base + routes.path,
        status: response.statusCode,
        seconds: (performance.now() - beganAt) / 1000,
      })
    }
  }

  /** Counts a long response for its project until its client has read it: one that does not may ask for more of them.
   *  @throws ApiError too_many_requests */
  #hold(request: IncomingMessage, response: ServerResponse, octets: number): void {
    if (octets <= shortReplyOctets || response.destroyed) return
    const key = notesOf(request).projectId ?? clientOf(peerOf(request))
    const held = this.#options.replies.open(key)
    held.add(octets)
    response.once('close', () => held.release())
  }

  #replyOf(exchange: Exchange, routes: PathRoutes | undefined): Promise<Reply> {
    if (routes === undefined) return this.#refuseUnknown(exchange)
    const context = this.#contextOf(exchange)
    const route = routes.byMethod.get(exchange.request.method ?? '')
    if (route?.access === 'public') return this.#publicReply(exchange, route, context)
    if (route?.access === 'principal') return this.#principalReply(exchange, route, context)
    if (route !== undefined) return this.#callerReply(exchange, route, context)
    return this.#refuseMethod(exchange, routes)
  }

  async #refuseMethod({ request, response }: Exchange, routes: PathRoutes): Promise<never> {
    if (!routes.isPublic) await authenticatePrincipal(this.#options.identity, request)
    response.setHeader('allow', routes.allow)
    throw new ApiError('method_not_allowed', 'The method is not allowed for the requested URL.')
  }

  async #publicReply(
    { request }: Exchange,
    route: PublicRoute,
    context: PublicContext,
  ): Promise<Reply> {
    const body = await this.#bodyOf(request, route)
    return this.#acting(request, () => route.handler({ ...context, body }))
  }

  async #principalReply(
    { request }: Exchange,
    route: PrincipalRoute,
    context: PublicContext,
  ): Promise<Reply> {
    const principal = await authenticatePrincipal(this.#options.identity, request)
    const body = await this.#bodyOf(request, route)
    if (route.rule !== undefined) requireAllowed({ roles: roleNamesOf(principal) }, route.rule)
    const who = { userId: principal.user.id, projectId: principal.scope?.project.id ?? '' }
    return this.#once(request, { ...who, body }, () =>
      route.handler({ ...context, principal, body }),
    )
  }

  async #callerReply(
    { request }: Exchange,
    route: CallerRoute,
    context: PublicContext,
  ): Promise<Reply> {
    const { isBoundByBlacklists, mayCopyTopLevels, keepsSecondariesReadOnly, takesHostNamesOnly } =
      context.dialect
    const known = await authenticate(this.#options.identity, request, context.query)
    const caller = {
      ...known,
      isBoundByBlacklists,
      mayCopyTopLevels,
      keepsSecondariesReadOnly,
      takesHostNamesOnly,
    }
    const confirm = async () => {
      requireAllowed(await authenticate(this.#options.identity, request, context.query), route.rule)
    }
    const { resolveNames = (_, given) => given } = this.#mount
    const called = () => {
      requireAllowed(caller, route.rule)
      const parameters = resolveNames(caller, context.parameters)
      const id = (name: string) => uuidParameter(parameters, name)
      return { ...context, parameters, caller, confirm, id }
    }
    route.refuse?.(called())
    const held = this.#options.bodies.open(caller.projectId)
    try {
      const body = await this.#bodyOf(request, route, held)
      const allowed = called()
      return await this.#once(request, { ...caller, body }, () =>
        route.handler({ ...allowed, body }),
      )
    } finally {
      held.release()
    }
  }

  /** Handles a request; a repeated POST with the same key gets its first answer. */
  #once(
    request: IncomingMessage,
    { userId, projectId, body }: Pick<KeyedRequest, 'userId' | 'projectId' | 'body'>,
    handle: () => Promise<Reply>,
  ): Promise<Reply> {
    const key = request.headers['idempotency-key']
    if (key === undefined || request.method !== 'POST') return this.#acting(request, handle)
    // Node.js joins the values of a repeated header.
    const keyed = {
      key: String(key),
      target: request.url ?? '',
      userId,
      projectId,
      body,
    }
    return this.#options.idempotencyKeys.answer(keyed, () => this.#acting(request, handle))
  }

  /** Handles a request as the actor that makes it. */
  #acting(request: IncomingMessage, handle: () => Promise<Reply>): Promise<Reply> {
    return actingAs(actorOf(request, this.#mount.dialect), handle)
  }

  async #bodyOf(request: IncomingMessage, route: Route, held?: HeldBody): Promise<unknown> {
    requireAcceptable(request.headers.accept, [route.produces ?? 'application/json'].flat())
    const check = this.#checks.get(route)
    if (check === undefined) return undefined
    const body = await readBody(request, route, held)
    if (typeof body !== 'string' && !Array.isArray(body)) check(body)
    return body
  }

  async #refuseUnknown({ request, response, path }: Exchange): Promise<never> {
    if (this.#mount.hidesUnknown) {
      await authenticate(this.#options.identity, request, queryOf(request))
      if (request.method === 'POST') {
        // RFC 9110 section 10.2.1: an empty Allow says that no method is allowed.
        response.setHeader('allow', '')
        throw new ApiError('method_not_allowed', `Nothing can be created at ${path}`)
      }
    }
    throw new ApiError('not_found', 'resource not found')
  }

  #contextOf({ request, response, path, parameters }: Exchange): PublicContext {
    const publicUrl = publicUrlOf(request, this.#options.publicUrl)
    return {
      requestId: requestIdOf(request),
      method: request.method ?? '',
      publicUrl,
      baseUrl: publicUrl + this.base,
      path: path.replace(/\/$/, ''),
      query: queryOf(request),
      parameters,
      dialect: this.#mount.dialect,
      peer: peerOf(request),
      requireClient: () => {
        if (response.destroyed) throw new ClientLeftError('the client has disconnected')
      },
      header: name => {
        const value = request.headers[name]
        return Array.isArray(value) ? value.join(', ') : value
      },
    }
  }
}

class ClientLeftError extends Error {
  override readonly name = 'ClientLeftError'
}

function queryOf({ url = '' }: IncomingMessage): URLSearchParams {
  const queryAt = url.indexOf('?')
  return new URLSearchParams(queryAt < 0 ? '' : url.slice(queryAt))
}

/** Some clients join an address that ends in a slash with a path that begins with one; the oldest always do. */
function withoutDoubledSlash(path: string): string {
  return path.startsWith('//') ? path.replace(/^\/+/, '/') : path
}
