import type { Test } from 'tap'
import { ratingMounts } from '../../src/api/rating/mounts.ts'
import type { RatingServices } from '../../src/api/rating/services.ts'
import { administrationOf } from '../../src/rating/administration.ts'
import { BudgetWatch } from '../../src/rating/budgets/budget-watch.ts'
import { Budgets } from '../../src/rating/budgets/budgets.ts'
import { CostLedger } from '../../src/rating/budgets/cost-ledger.ts'
import { Invoices } from '../../src/rating/invoices/invoices.ts'
import { Reprocesses } from '../../src/rating/scopes/reprocesses.ts'
import { Scopes } from '../../src/rating/scopes/scopes.ts'
import { PointStore } from '../../src/rating/segments/point-store.ts'
import { startApi, type TestApi, type TestApiOptions } from './api.ts'
import { fakeClock } from './clock.ts'
import { openMemoryStore } from './memory-store.ts'
import { SimulatedDisk } from './simulated-disk.ts'

/** Serves the rating group over HTTP, on a store of points in memory. */
export async function startRatingApi(
  t: Test,
  options: { readonly files?: SimulatedDisk } & Pick<
    TestApiOptions,
    'allowsNoAuth' | 'logger'
  > = {},
): Promise<{
  readonly api: TestApi
  readonly services: RatingServices
  readonly budgetWatch: BudgetWatch
}> {
  const { files = new SimulatedDisk(), ...apiOptions } = options
  const clock = fakeClock()
  const store = openMemoryStore({ clock })
  const points = await PointStore.open('/rating', { files })
  const onRemovalFailed = (error: unknown) => t.fail('a removal failed', { error })
  const onFailed = (error: unknown) => t.fail('budgets were not looked at', { error })
  const budgetWatch = new BudgetWatch({ store, ledger: new CostLedger(points), clock, onFailed })
  points.setListener(budgetWatch)
  const services = {
    points,
    clock,
    currency: 'EUR',
    currencyPlaces: 2,
    invoices: new Invoices({ store, points, clock }),
    scopes: new Scopes({ store, points, onRemovalFailed }),
    reprocesses: new Reprocesses(store),
    administration: administrationOf(store),
    budgets: new Budgets({ store, watch: budgetWatch, clock }),
  }
  const api = await startApi(t, {
    ...apiOptions,
    store,
    clock,
    mounts: () => ratingMounts(services),
  })
  return { api, services, budgetWatch }
}
