import { rating } from '../dialect.ts'
import type { Mount } from '../route-table.ts'
import { budgetRoutes } from './budgets.ts'
import { dataframeRoutes } from './dataframes.ts'
import { scopeRoutes } from './scope.ts'
import type { RatingServices } from './services.ts'
import { summaryRoutes } from './summary.ts'

/** The specification's rating group and the budgets: beside the DNS group below `/v2`, in a dialect of their own. */
export function ratingMounts(services: RatingServices): readonly Mount[] {
  return [
    { base: '/v2/dataframes', routes: dataframeRoutes(services) },
    { base: '/v2/scope', routes: scopeRoutes(services) },
    { base: '/v2/budgets', routes: budgetRoutes(services.budgets) },
    { base: '/v2/summary', routes: summaryRoutes(services) },
  ].map(mount => ({ ...mount, dialect: rating, hidesUnknown: true as const }))
}
