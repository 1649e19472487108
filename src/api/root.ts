import { plain } from './dialect.ts'
import { type HealthParts, healthRoutes } from './health.ts'
import type { Route } from './route.ts'
import type { Mount } from './route-table.ts'
import { type ApiVersion, versionRoutes } from './versions.ts'

type RootOptions = HealthParts & {
  readonly versions: readonly ApiVersion[]
  /** What else stands there. */
  readonly others?: readonly Route[]
}

/** What stands under no base: where to go on, and how the server is. */
export function rootMount(options: RootOptions): Mount {
  const { versions, others = [] } = options
  return {
    base: '',
    dialect: plain,
    routes: [...versionRoutes(versions), ...healthRoutes(options), ...others],
  }
}
