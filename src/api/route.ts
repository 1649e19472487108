import type { Static, TSchema } from 'typebox'
import type { ErrorType } from '../errors.ts'
import type { Caller } from '../identity/caller.ts'
import type { Rule } from '../identity/policy.ts'
import type { Principal } from '../identity/principal.ts'
import type { Dialect } from './dialect.ts'
import type { BodyRules, TextBody } from './middleware/read-body.ts'

// The seam between resources and HTTP. A resource module exports its routes as data, e.g.
// `zoneRoutes(services): readonly Route[]`; dispatch, 405 with Allow, body checks, policy, the OpenAPI
// document and the documentation's tests are all made from that table. Handlers never see a socket.

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** What every handler knows of its request. */
export type PublicContext = {
  readonly requestId: string
  readonly method: string
  /** Address of the server as clients reach it, without a trailing slash: `http://host:9001`. */
  readonly publicUrl: string
  /** Address of the mount the route lives under, for links: `http://host:9001/v2`. */
  readonly baseUrl: string
  /** The requested path below `baseUrl`, as sent, without query. */
  readonly path: string
  readonly query: URLSearchParams
  /** Path parameters by name, decoded but not yet checked (see `uuidParameter`). */
  readonly parameters: Readonly<Record<string, string>>
  readonly dialect: Dialect
  /** The peer's address, for limits and logs. */
  readonly peer: string
  /** A request header by its lower-case name. */
  header(name: string): string | undefined
}

/** What the handler of an authenticated route knows. */
export type RequestContext = PublicContext & {
  readonly caller: Caller
  /** Asks for the request's credentials and rights again, for answers that go on for long.
   *  @throws ApiError what the request would be refused with now */
  confirm(): Promise<void>
}

/** What the handler of a route for any principal knows. */
export type PrincipalContext = PublicContext & { readonly principal: Principal }

/** What a handler answers. Without `body` and `text` the response is empty. */
export type Reply = {
  readonly status: number
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent as it stands, under its `content-type` header (`text/plain` when not given). */
  readonly text?: string
  /** Sent piece by piece, as quickly as the client takes it, until it ends or the client is gone, which the
   *  signal tells. Its `content-type` is in the headers. */
  readonly stream?: (signal: AbortSignal) => AsyncIterable<string | Uint8Array>
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
  /** What is answered where nothing is refused, or how that depends on the dialect. */
  readonly answers: Answers | ((dialect: Dialect) => Answers)
  /** What it refuses besides what every route refuses for its credentials, its rule and its body. */
  readonly refusals?: readonly ErrorType[]
  /** What its query may say. */
  readonly query?: Readonly<Record<string, TSchema>>
  /** Media type of a successful answer, or several to choose from; `application/json` when not given. */
  readonly produces?: string | readonly string[]
  /** The body's schema. A route without one neither reads nor minds a body. */
  readonly bodySchema?: TSchema
}

/** A route for authenticated callers with a project. */
export type CallerRoute = RouteCommon & {
  readonly access?: 'caller'
  /** The policy rule checked before the handler runs; finer questions are the service's. */
  readonly rule: Rule
  /** Refuses what cannot be done whatever the body says, before it is read.
   *  @throws ApiError */
  refuse?(context: RequestContext): void
  handler(context: RequestContext & { readonly body: unknown }): Promise<Reply>
}

/** A route for any principal, also one without a project: the identity service's. */
export type PrincipalRoute = RouteCommon & {
  readonly access: 'principal'
  /** Checked before the handler runs. Without one it is the service's question, as it is about whose row. */
  readonly rule?: Rule
  handler(context: PrincipalContext & { readonly body: unknown }): Promise<Reply>
}

/** A route that asks for no credentials, or checks them itself. */
export type PublicRoute = RouteCommon & {
  readonly access: 'public'
  handler(context: PublicContext & { readonly body: unknown }): Promise<Reply>
}

export type Route = CallerRoute | PrincipalRoute | PublicRoute

/** A route with a body, whose handler gets it typed after its schema. */
type WithBody<R extends Route, S extends TSchema, B = Static<S>> = Omit<
  R,
  'handler' | 'bodySchema'
> & {
  readonly bodySchema: S
  handler(context: Omit<Parameters<R['handler']>[0], 'body'> & { readonly body: B }): Promise<Reply>
}

/** A route with a body: gives the handler the body typed after its schema, checked before it is called. */
export function routeWithBody<S extends TSchema>(route: WithBody<CallerRoute, S>): Route {
  return route
}

/** Same, for a route that takes text as well as JSON. */
export function routeWithTextBody<S extends TSchema>(
  route: WithBody<CallerRoute, S, Static<S> | string> & { readonly textBody: TextBody },
): Route {
  return route
}

/** Same, for a route for any principal. */
export function principalRouteWithBody<S extends TSchema>(
  route: WithBody<PrincipalRoute, S>,
): Route {
  return route
}

/** Same, for a route that asks for no credentials. */
export function publicRouteWithBody<S extends TSchema>(route: WithBody<PublicRoute, S>): Route {
  return route
}
