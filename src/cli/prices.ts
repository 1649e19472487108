import { type AppliedPricesView, appliedPricesView } from '../api/rating/prices.ts'
import { askToApplyPrices } from '../api/rating/prices-client.ts'
import { systemClock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { ConfigError } from '../config/config-error.ts'
import { StoreLockedError } from '../durable/lock.ts'
import { applyPriceModel, priceModels } from '../rating/hashmap/price-models.ts'
import { type LowdbStore, openLowdbStore } from '../store/lowdb-store.ts'
import { ownServer } from './own-server.ts'

// The composition root of `pricing apply`.

/** Applies a price model: through the server that has the store open, or else directly to the store.
 *  @throws ConfigError there is no such model; ServerUnavailableError the server could not be asked;
 *  DamageError */
export async function applyPrices(config: Config, name: string): Promise<AppliedPricesView> {
  const model = priceModels.get(name)
  if (model === undefined) {
    const known = [...priceModels.keys()].join(', ')
    throw new ConfigError(`there is no price model "${name}", only: ${known}`)
  }
  const store = await openUnlessServed(config.dataDir)
  if (store === undefined) return askToApplyPrices(ownServer(config), name)
  try {
    return appliedPricesView(name, await applyPriceModel(store, model))
  } finally {
    await store.close()
  }
}

/** What was done, in readable form. */
export function describePrices({ model, added, present, kept }: AppliedPricesView): string {
  return [
    `Price model "${model}": ${added} rules added, ${present} present.`,
    ...kept.map(rule => `Another price is set and stays: ${rule}`),
    'Periods that are rated from now on go by it; reprocess or reset scopes for those before.',
  ].join('\n')
}

async function openUnlessServed(directory: string): Promise<LowdbStore | undefined> {
  try {
    return await openLowdbStore({ directory, clock: systemClock })
  } catch (error) {
    if (error instanceof StoreLockedError) return undefined
    throw error
  }
}
