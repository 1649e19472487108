import { plain } from './dialect.ts'
import { healthRoutes, type Readiness, type ReadOnlyReason } from './health.ts'
import type { Mount } from './route-table.ts'
import { type ApiVersion, versionRoutes } from './versions.ts'

export type RootOptions = {
  readonly versions: readonly ApiVersion[]
  readonly readiness: Readiness
  readonly readOnlyReason: ReadOnlyReason
}

/** What stands under no base: where to go on, and how the server is. */
export function rootMount({ versions, readiness, readOnlyReason }: RootOptions): Mount {
  return {
    base: '',
    dialect: plain,
    routes: [...versionRoutes(versions), ...healthRoutes(readiness, readOnlyReason)],
  }
}
