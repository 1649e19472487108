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
  readonly byMethod: ReadonlyMap<string, Route>
  /** The Allow header: the methods of this path. */
  readonly allow: string
  readonly isPublic: boolean
}

/** Groups routes by path, the more specific paths first: `/zones/tasks/imports` before `/zones/:zone_id/…`.
 *  @throws Error two routes would match the same requests: a mistake in the tables */
export function routeTable(routes: readonly Route[]): readonly PathRoutes[] {
  const byPath = new Map<string, Map<string, Route>>()
  for (const route of routes) {
    const byMethod = byPath.get(route.path) ?? new Map<string, Route>()
    if (byMethod.has(route.method))
      throw new Error(`${route.method} ${route.path} is declared twice`)
    byPath.set(route.path, byMethod.set(route.method, route))
  }
  requireDistinctShapes([...byPath.keys()])
  return [...byPath].map(([path, byMethod]) => pathRoutes(path, byMethod)).sort(moreSpecificFirst)
}

const methodOrder: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

function pathRoutes(path: string, byMethod: Map<string, Route>): PathRoutes {
  const isPublic = [...byMethod.values()].every(route => route.access === 'public')
  const methods: string[] = methodOrder.filter(method => byMethod.has(method))
  // HEAD is for public routes, such as health, and for those of the identity service; Designate has none.
  const get = byMethod.get('GET')
  if (get?.access === 'public' || get?.access === 'principal') {
    byMethod.set('HEAD', get)
    methods.splice(1, 0, 'HEAD')
  }
  return { path, byMethod, allow: methods.join(', '), isPublic }
}

/** Paths that differ only in names of parameters are the same. */
function requireDistinctShapes(paths: readonly string[]): void {
  const pathByShape = new Map<string, string>()
  for (const path of paths) {
    const shape = path.replaceAll(/:[^/]+/g, ':')
    const other = pathByShape.get(shape)
    if (other !== undefined) throw new Error(`${other} and ${path} are the same path`)
    pathByShape.set(shape, path)
  }
}

function moreSpecificFirst(one: PathRoutes, other: PathRoutes): number {
  const oneKey = specificityKey(one.path)
  const otherKey = specificityKey(other.path)
  return oneKey < otherKey ? -1 : Number(oneKey > otherKey)
}

/** Sorts a literal segment before a parameter at the same position. */
function specificityKey(path: string): string {
  return path
    .split('/')
    .map(segment => (segment.startsWith(':') ? '1' : '0'))
    .join('')
}
