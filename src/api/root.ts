import { plain } from './dialect.ts'
import { healthRoutes, type Readiness } from './health.ts'
import type { Mount } from './route-table.ts'
import { type ApiVersion, versionRoutes } from './versions.ts'

export type RootOptions = {
  readonly versions: readonly ApiVersion[]
  readonly readiness: Readiness
}

/** What stands under no base: where to go on, and how the server is. */
export function rootMount({ versions, readiness }: RootOptions): Mount {
  return {
    base: '',
    dialect: plain,
    routes: [...versionRoutes(versions), ...healthRoutes(readiness)],
  }
}
