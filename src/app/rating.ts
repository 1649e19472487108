import { join } from 'node:path'
import type { RatingServices } from '../api/rating/services.ts'
import { realFiles } from '../durable/file-system.ts'
import type { Logger } from '../log.ts'
import { administrationOf } from '../rating/administration.ts'
import { BudgetWatch } from '../rating/budgets/budget-watch.ts'
import { Budgets } from '../rating/budgets/budgets.ts'
import { CostLedger } from '../rating/budgets/cost-ledger.ts'
import { Invoices } from '../rating/invoices/invoices.ts'
import { Reprocesses } from '../rating/scopes/reprocesses.ts'
import { Scopes } from '../rating/scopes/scopes.ts'
import { PointStore, type PointStoreOptions, type Points } from '../rating/segments/point-store.ts'
import { journalFolder } from '../rating/segments/segment-set.ts'
import { TermPoints } from '../rating/segments/term-points.ts'
import { usageFolders } from '../rating/usage-repair.ts'
import { everything } from '../store/indexes.ts'
import type { CommonParts } from './options.ts'

// The composition root's part for usage rating.

export type Rating = RatingServices & {
  readonly budgetWatch: BudgetWatch
  /** The points, where they are those of several nodes. */
  readonly termPoints: TermPoints | undefined
  close(): Promise<void>
}

type RatingParts = Pick<CommonParts, 'config' | 'store' | 'clock' | 'logger'>

/** For a cut of a log of usage. */
export const usageCut =
  'the end of a log of usage was torn and is cut off: it was perhaps acknowledged'

/** Logs what an operator should know of stored points. */
export function loggedPointEvents(logger: Logger): Pick<PointStoreOptions, 'onCut' | 'onDamaged'> {
  return {
    onCut: cut => logger.warn(cut, usageCut),
    onDamaged: err => logger.error({ err }, 'stored usage is damaged; what comes is stored'),
  }
}

/** Reports folders that are gone although usage has been rated: the start makes them anew, empty. */
async function reportMissingUsage({ config, store, logger }: RatingParts): Promise<void> {
  const states = [...store.list('scopeStates', 'all', everything)]
  if (store.shared !== undefined || states.every(state => state.lastProcessed === null)) return
  const { points, hours, meter } = usageFolders
  for (const name of [`${points}/${journalFolder}`, `${hours}/${journalFolder}`, meter]) {
    const folder = join(config.dataDir, name)
    if ((await realFiles.list(folder)).length === 0)
      logger.error({ folder }, 'stored usage is gone: stop the server and restore a backup')
  }
}

/** Opens the parts of usage rating, and completes work that a crash interrupted.
 *  @throws DamageError the points' files are not as they were written */
export async function openRating(parts: RatingParts): Promise<Rating> {
  const { config, store, clock, logger } = parts
  await reportMissingUsage(parts)
  const termPoints = store.shared && new TermPoints()
  const folder = join(config.dataDir, usageFolders.points)
  const points = termPoints ?? (await PointStore.open(folder, loggedPointEvents(logger)))
  const scopes = new Scopes({
    store,
    points,
    onRemovalFailed: error =>
      logger.error({ err: error }, 'points of a scope that was reset could not be removed yet'),
  })
  if (termPoints === undefined) await scopes.finishResets()
  const budgetWatch = watchBudgets(parts, points)
  return {
    points,
    termPoints,
    scopes,
    clock,
    currency: config.currency,
    currencyPlaces: config.currencyPlaces,
    invoices: new Invoices({ store, points, clock }),
    reprocesses: new Reprocesses(store),
    administration: administrationOf(store),
    budgets: new Budgets({ store, watch: budgetWatch, clock }),
    budgetWatch,
    close: async () => {
      await points.close()
      await budgetWatch.settled()
    },
  }
}

function watchBudgets({ store, clock, logger }: RatingParts, points: Points): BudgetWatch {
  const watch = new BudgetWatch({
    store,
    ledger: new CostLedger(points),
    clock,
    onFailed: error => logger.error({ err: error }, 'budgets could not be looked at yet'),
  })
  points.setListener(watch)
  return watch
}
