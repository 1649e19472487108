import assert from 'node:assert'
import type { Static, TSchema } from 'typebox'
import type { ErrorType } from '../errors.ts'
import type { Caller } from '../identity/caller.ts'
import type { Rule } from '../identity/policy.ts'
import type { Principal } from '../identity/principal.ts'
import type { Dialect } from './dialect.ts'
import type { BodyRules, TextBody } from './middleware/read-body.ts'

// The interface between resources and HTTP. A resource module exports its routes as data, e.g.
// `zoneRoutes(services): readonly Route[]`; dispatch, 405 with Allow, body checks, policy, the OpenAPI
// document and the documentation's tests all use that table. Handlers never see a socket.

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The facts of a request that every handler gets. */
export type PublicContext = {
  readonly requestId: string
  readonly method: string
  /** Address of the server as clients reach it, without a trailing slash: `http://host:9001`. */
  readonly publicUrl: string
  /** Address of the route's mount, for links: `http://host:9001/v2`. */
  readonly baseUrl: string
  /** The requested path below `baseUrl`, as sent, without query. */
  readonly path: string
  readonly query: URLSearchParams
  /** Path parameters by name, decoded but not checked. */
  readonly parameters: Readonly<Record<string, string>>
  readonly dialect: Dialect
  /** The peer's address, for limits and logs. */
  readonly peer: string
  /** Stops a long read whose client has disconnected: nobody gets its answer.
   *  @throws ClientLeftError */
  readonly requireClient: () => void
  /** A request header by its lower-case name. */
  header(name: string): string | undefined
}

/** The context of a handler of an authenticated route. */
export type RequestContext = PublicContext & {
  readonly caller: Caller
  /** A path parameter that must be a UUID, in the canonical form: lower case, with dashes.
   *  @throws ApiError invalid_uuid */
  id(name: string): string
  /** Checks the request's credentials and rights again, for long responses.
   *  @throws ApiError the refusal that the request would get now */
  confirm(): Promise<void>
}

/** The context of a handler of a route for any principal. */
export type PrincipalContext = PublicContext & { readonly principal: Principal }

/** The reply of a handler. Without `body` and `text` the response is empty. */
export type Reply = {
  readonly status: number
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent unchanged, with its `content-type` header (`text/plain` when not given). */
  readonly text?: string
  /** Sent piece by piece, as fast as the client reads it, until it ends or the client disconnects, which aborts the signal. Its
   *  `content-type` is in the headers. */
  readonly stream?: (signal: AbortSignal) => AsyncIterable<string | Uint8Array>
  /** Octets of memory that the stream keeps until it is over; a few pieces do not count. */
  readonly heldOctets?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** By status: the schema of the body, or null for none. */
export type Answers = Readonly<Record<number, TSchema | null>>

type RouteCommon = BodyRules & {
  readonly method: Method
  /** Below the mount, parameters with a colon and the API's spelling: `/zones/:zone_id/recordsets`. */
  readonly path: string
  /** One line for the reference documentation. */
  readonly summary: string
  /** The successful answers, or a function of the dialect that gives them. */
  readonly answers: Answers | ((dialect: Dialect) => Answers)
  /** Refusals beyond those that every route has for its credentials, its rule and its body. */
  readonly refusals?: readonly ErrorType[]
  /** Whether it looks at If-Match, where the dialect has entity tags. */
  readonly isConditional?: boolean
  /** The parameters of its query. */
  readonly query?: Readonly<Record<string, TSchema>>
  /** Media type of a successful answer, or several to choose from; `application/json` when not given. */
  readonly produces?: string | readonly string[]
  /** The body's schema. A route without one ignores a body. */
  readonly bodySchema?: TSchema
}

/** A route for authenticated callers with a project. */
export type CallerRoute = RouteCommon & {
  readonly access?: 'caller'
  /** The policy rule checked before the handler runs; the service makes finer checks. */
  readonly rule: Rule
  /** Refuses a request that cannot succeed with any body, before the body is read.
   *  @throws ApiError */
  refuse?(context: RequestContext): void
  handler(context: RequestContext & { readonly body: unknown }): Promise<Reply>
}

/** A route of the identity service, for any principal, also one without a project. */
export type PrincipalRoute = RouteCommon & {
  readonly access: 'principal'
  /** Checked before the handler runs. Without one the service checks, as the answer depends on the owner of a row. */
  readonly rule?: Rule
  handler(context: PrincipalContext & { readonly body: unknown }): Promise<Reply>
}

/** A route that needs no credentials, or checks them itself. */
export type PublicRoute = RouteCommon & {
  readonly access: 'public'
  handler(context: PublicContext & { readonly body: unknown }): Promise<Reply>
}

export type Route = CallerRoute | PrincipalRoute | PublicRoute

/** What a route is declared with, besides its method and path. Its function gets the body typed by its schema. */
type Declaration<R extends Route, S extends TSchema, T> = Omit<
  R,
  'method' | 'path' | 'handler' | 'bodySchema' | 'textBody'
> & {
  readonly bodySchema?: S
  readonly textBody?: T
} & Responding<Omit<Parameters<R['handler']>[0], 'body'> & { readonly body: Static<S> | TextOf<T> }>

/** How a handler gets a text body. */
type TextOf<T> = T extends { readonly isInPieces: true }
  ? readonly Uint8Array[]
  : T extends TextBody
    ? string
    : never

/** How a route answers: with replies of its choice, or with the body of its only answer. */
export type Responding<C> =
  | { handler(context: C): Promise<Reply>; respond?: never }
  /** Returns the body of the only answer; ignored where that has none. */
  | { respond(context: C): unknown; handler?: never }

type Linked = { readonly links?: { readonly self?: string } }

/** Declares a route: `GET /zones/:zone_id`. */
export function route<S extends TSchema, const T extends TextBody | undefined = undefined>(
  endpoint: `${Method} ${string}`,
  declaration:
    | Declaration<CallerRoute, S, T>
    | Declaration<PrincipalRoute, S, T>
    | Declaration<PublicRoute, S, T>,
): Route {
  const [method, path] = endpoint.split(' ') as [Method, string]
  const {
    respond,
    handler = onlyAnswer<never>({ ...declaration, method }),
    ...common
  } = declaration
  return { method, path, ...common, handler } as Route
}

/** The handler of a route that has one answer. What was created, or is being created, says in a header too where it is. */
export function onlyAnswer<C>({
  method,
  answers,
  respond,
}: Pick<RouteCommon, 'method' | 'answers'> & { respond?(context: C): unknown }) {
  const [[status, schema] = [], ...others] = Object.entries(answers)
  assert(respond !== undefined && status !== undefined && others.length === 0)
  const isCreation = method === 'POST' && (status === '201' || status === '202')
  return async (context: C): Promise<Reply> => {
    const body = await respond(context)
    if (schema === null) return { status: Number(status) }
    const self = isCreation && (body as Linked).links?.self
    return { status: Number(status), body, ...(self && { headers: { location: self } }) }
  }
}
