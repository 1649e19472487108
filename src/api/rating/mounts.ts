import { cloudkitty, cloudkittyV1, rating } from '../dialect.ts'
import type { Mount } from '../route-table.ts'
import { cloudkittyVersions, versionRoutes } from '../versions.ts'
import { budgetRoutes } from './budgets.ts'
import { dataframeRoutes } from './dataframes.ts'
import { invoiceRoutes } from './invoices.ts'
import { moduleRoutes } from './modules.ts'
import { priceRoutes } from './prices.ts'
import { reprocessRoutes } from './reprocesses.ts'
import { scopeEditRoutes, scopeRoutes } from './scope.ts'
import type { RatingServices } from './services.ts'
import { summaryRoutes } from './summary.ts'
import { v1Routes } from './v1/routes.ts'

const rated = { hidesUnknown: true, isRated: true } as const

/** The specification's rating group, budgets and prices beside the DNS group below `/v2`, in a dialect of their own, and
 *  CloudKitty's own paths below `/rating`, where the catalog sends its clients, over the same services. */
export function ratingMounts(services: RatingServices): readonly Mount[] {
  const plain = [
    { base: '/v2/dataframes', routes: dataframeRoutes(services) },
    { base: '/v2/scope', routes: scopeRoutes(services) },
    { base: '/v2/budgets', routes: budgetRoutes(services) },
    { base: '/v2/invoices', routes: invoiceRoutes(services) },
    { base: '/v2/prices', routes: priceRoutes(services) },
    { base: '/v2/summary', routes: summaryRoutes(services) },
  ]
  const second = [
    { base: '/rating/v2/dataframes', routes: dataframeRoutes(services) },
    {
      base: '/rating/v2/scope',
      routes: [...scopeRoutes(services), ...scopeEditRoutes(services)],
    },
    { base: '/rating/v2/summary', routes: summaryRoutes(services) },
    {
      base: '/rating/v2',
      routes: [
        ...moduleRoutes(services.administration.modules),
        ...reprocessRoutes(services.reprocesses),
      ],
    },
  ]
  return [
    ...plain.map(mount => ({ ...mount, dialect: rating, ...rated })),
    { base: '/rating', dialect: cloudkitty, routes: versionRoutes(cloudkittyVersions) },
    { base: '/rating/v1', dialect: cloudkittyV1, routes: v1Routes(services), ...rated },
    ...second.map(mount => ({ ...mount, dialect: cloudkitty, ...rated })),
  ]
}
