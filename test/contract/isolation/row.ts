import type { Things } from './things.ts'

/** How a route is tried. What a row does not say is as for most routes: no body, the owner's ids in the path. */
export type Row = {
  /** What passes the route's schema, so that what refuses is not the schema. */
  readonly body?: (things: Things) => object | string
  /** Without its question mark. */
  readonly query?: (things: Things) => string
  readonly headers?: (things: Things) => Readonly<Record<string, string>>
  /** Path parameters that mean something else here than elsewhere. */
  readonly parameters?: (things: Things) => Readonly<Record<string, string>>
  /** Why what is there may be told from what is not: it is nobody's, or the rules say so. */
  readonly mayTell?: string
  /** Why a stranger may write: what it writes is its own. */
  readonly strangerWrites?: string
  /** Tried too often it is refused for that alone, so some time passes before each call. */
  readonly isLimited?: true
  /** The answer has no end; it is read until it has told all there is. */
  readonly isStream?: true
}

/** Rows by `METHOD /path`, as the first mount of a route has it (see `rowKey`). */
export type Rows = Readonly<Record<string, Row>>

/** Paths under which a route is mounted once more, and those it has its row under. */
const aliases: readonly (readonly [RegExp, string])[] = [
  [/^\/dns(?=\/v[12](?:\/|$))/, ''],
  [/^\/rating\/v2(?=\/|$)/, '/v2'],
  [/^\/rating\/v1\/rating(?=\/|$)/, '/rating/v1/billing'],
  [/^\/(?=(?:domains|servers)(?:\/|$))/, '/v1/'],
  [/\/transfer_accept(?=\/|$)/, '/transfer_accepts'],
  [/^\/dns\/admin(?=\/)/, '/admin'],
  [/\/zones\/tasks\/(export|import)(?=\/|$)/, '/zones/tasks/$1s'],
  [/^\/v2\/service_status(?=\/|$)/, '/v2/service_statuses'],
  [/^\/v2\/task\/reprocess$/, '/v2/task/reprocesses'],
  [/(.)\/$/, '$1'],
]

/** The key of a route's row: one for all the addresses at which it answers. */
export function rowKey(method: string, path: string): string {
  const address = aliases.reduce((text, [alias, name]) => text.replace(alias, name), path)
  return `${method} ${address}`
}
