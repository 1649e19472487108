import type { Store } from '../store/store.ts'
import { Collectors } from './collectors.ts'
import { HashmapGroups } from './hashmap/groups.ts'
import { priceList, replacePriceList } from './hashmap/price-list.ts'
import type { PriceModel, PriceRule } from './hashmap/price-model.ts'
import { applyPriceModel } from './hashmap/price-models.ts'
import { HashmapRules } from './hashmap/rules.ts'
import { HashmapFields, HashmapServices } from './hashmap/services.ts'
import { currentRules, ModuleSettings } from './module-settings.ts'
import { Pyscripts } from './pyscripts.ts'
import { ScopeEdits } from './scopes/scope-edits.ts'

/** The settings of rating that administrators manage. */
export type Administration = ReturnType<typeof administrationOf>

export function administrationOf(store: Store) {
  return {
    modules: new ModuleSettings(store),
    services: new HashmapServices(store),
    fields: new HashmapFields(store),
    groups: new HashmapGroups(store),
    mappings: new HashmapRules(store, 'hashmapMappings'),
    thresholds: new HashmapRules(store, 'hashmapThresholds'),
    pyscripts: new Pyscripts(store),
    collectors: new Collectors(store),
    scopeEdits: new ScopeEdits(store),
    applyPriceModel: (model: PriceModel) => applyPriceModel(store, model),
    priceList: () => priceList(store),
    replacePriceList: (rules: readonly PriceRule[], { by }: { readonly by: string }) =>
      replacePriceList(store, rules, { by }),
    /** The rules in force at this moment. */
    rules: () => currentRules(store),
  }
}
