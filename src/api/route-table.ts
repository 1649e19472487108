import type { Caller } from '../identity/caller.ts'
import type { Dialect } from './dialect.ts'
import type { Method, Route } from './route.ts'

/** Routes under one base path, answered in one dialect. */
export type Mount = {
  /** `/v2`, or empty for the root. */
  readonly base: string
  readonly dialect: Dialect
  readonly routes: readonly Route[]
  /** As in Designate: clients need credentials before they learn whether a path exists, and POST to an unknown path gets 405, not
   *  404. */
  readonly hidesUnknown?: true
  /** It needs usage, which only one of several nodes has at a time. */
  readonly isRated?: true
  /** Replaces names in paths with the ids of the resources, as the caller sees them.
   *  @throws ApiError there is no resource of that name */
  readonly resolveNames?: (caller: Caller, parameters: PathParameters) => PathParameters
}

/** The parameters of a path by name, decoded. */
export type PathParameters = Readonly<Record<string, string>>

/** The routes of one path by method. */
export type PathRoutes = {
  readonly path: string
  /** The names of its parameters, with their places among its segments. */
  readonly parameters: readonly (readonly [place: number, name: string])[]
  readonly byMethod: ReadonlyMap<string, Route>
  /** The Allow header: the methods of this path. */
  readonly allow: string
  readonly isPublic: boolean
}

/** The routes that a path was found to have, and what its parameters are. */
export type FoundRoutes = { readonly routes: PathRoutes; readonly parameters: PathParameters }

/** How paths that begin alike go on, by their next segment, and the routes of the one that ends here. */
type Branch = { readonly next: Map<string, Branch>; routes?: PathRoutes }

/** Begins a parameter in a declared path, and is the key of all parameters in a branch. */
const parameterMark = ':'

/** The routes of a mount by path, in a tree of segments: a router of express would try one path after the other. */
export class RouteTable {
  readonly #root: Branch = { next: new Map() }

  /** @throws Error two routes would match the same requests: a mistake in the tables */
  constructor(routes: readonly Route[]) {
    for (const [path, ofPath] of Map.groupBy(routes, route => route.path))
      this.#add(pathRoutes(path, ofPath))
  }

  /** A literal segment comes before a parameter at its place: `/zones/tasks/imports` before `/zones/:zone_id/…`.
   *  @throws URIError a parameter has an invalid escape */
  find(path: string): FoundRoutes | undefined {
    const segments = segmentsOf(path)
    const routes = routesAt(this.#root, segments, 0)
    if (routes === undefined) return undefined
    const parameters: Record<string, string> = {}
    for (const [i, name] of routes.parameters)
      parameters[name] = decodeURIComponent(segments[i] as string)
    return { routes, parameters }
  }

  #add(routes: PathRoutes): void {
    let branch = this.#root
    for (const segment of segmentsOf(routes.path)) {
      const key = segment.startsWith(parameterMark) ? parameterMark : segment
      const next = branch.next.get(key) ?? { next: new Map() }
      branch.next.set(key, next)
      branch = next
    }
    if (branch.routes !== undefined)
      throw new Error(`${branch.routes.path} and ${routes.path} are the same path`)
    branch.routes = routes
  }
}

/** The routes of the path that continues with the segments from a place on. */
function routesAt(
  { next, routes }: Branch,
  segments: readonly string[],
  at: number,
): PathRoutes | undefined {
  const segment = segments[at]
  if (segment === undefined) return routes
  const literal = next.get(segment)
  const parameter = segment === '' ? undefined : next.get(parameterMark)
  return (
    (literal && routesAt(literal, segments, at + 1)) ??
    (parameter && routesAt(parameter, segments, at + 1))
  )
}

/** A slash at the end makes no difference. */
function segmentsOf(path: string): readonly string[] {
  return (path.endsWith('/') ? path.slice(0, -1) : path).split('/')
}

const methodOrder: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

function pathRoutes(path: string, routes: readonly Route[]): PathRoutes {
  const byMethod = new Map<string, Route>()
  for (const route of routes) {
    if (byMethod.has(route.method)) throw new Error(`${route.method} ${path} is declared twice`)
    byMethod.set(route.method, route)
  }
  const isPublic = routes.every(route => route.access === 'public')
  const methods: string[] = methodOrder.filter(method => byMethod.has(method))
  // HEAD is for public routes, such as health, and for those of the identity service; Designate has none.
  const get = byMethod.get('GET')
  if (get?.access === 'public' || get?.access === 'principal') {
    byMethod.set('HEAD', get)
    methods.splice(1, 0, 'HEAD')
  }
  const parameters = [...segmentsOf(path).entries()]
    .filter(([, segment]) => segment.startsWith(parameterMark))
    .map(([i, segment]) => [i, segment.slice(1)] as const)
  return { path, parameters, byMethod, allow: methods.join(', '), isPublic }
}
