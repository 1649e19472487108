import { randomUUID } from 'node:crypto'
import { defaultPriceModel, rowsOfPriceModel } from '../../src/rating/hashmap/price-model.ts'
import { ModuleSettings } from '../../src/rating/module-settings.ts'
import type { Store } from '../../src/store/store.ts'

/** Makes a store price usage by the price model that ships with the program. */
export async function applyPrices(store: Store): Promise<void> {
  await new ModuleSettings(store).set('hashmap', { isEnabled: true })
  await store.commit(tx => {
    const stamps = { atMicros: tx.atMicros, newId: randomUUID }
    const rows = rowsOfPriceModel(defaultPriceModel, stamps)
    for (const row of rows.groups) tx.put('hashmapGroups', row)
    for (const row of rows.services) tx.put('hashmapServices', row)
    for (const row of rows.fields) tx.put('hashmapFields', row)
    for (const row of rows.mappings) tx.put('hashmapMappings', row)
  })
}
