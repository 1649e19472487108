import { plain } from './dialect.ts'
import { healthRoutes, type Readiness, type ReadOnlyReason } from './health.ts'
import type { Route } from './route.ts'
import type { Mount } from './route-table.ts'
import { type ApiVersion, versionRoutes } from './versions.ts'

export type RootOptions = {
  readonly versions: readonly ApiVersion[]
  readonly readiness: Readiness
  readonly readOnlyReason: ReadOnlyReason
  /** What else stands there. */
  readonly others?: readonly Route[]
}

/** What stands under no base: where to go on, and how the server is. */
export function rootMount(options: RootOptions): Mount {
  const { versions, readiness, readOnlyReason, others = [] } = options
  return {
    base: '',
    dialect: plain,
    routes: [...versionRoutes(versions), ...healthRoutes(readiness, readOnlyReason), ...others],
  }
}
