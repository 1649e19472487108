import { ApiError } from '../errors.ts'
import type { RatingModule } from '../model/rating.ts'
import { newStamp, updatedRow } from '../model/stamped.ts'
import { everything } from '../store/indexes.ts'
import type { Store, StoreReader, Transaction } from '../store/store.ts'
import { compileRuleBook } from './hashmap/rule-book.ts'
import { type ModuleDescriptor, type ModuleName, type Rules, ratingModules } from './modules.ts'

/** A rating module with its settings. */
export type SetModule = ModuleDescriptor & Pick<RatingModule, 'isEnabled' | 'priority'>

/** The settings of a module that can be changed; undefined leaves a setting unchanged. */
type ModuleChanges = {
  readonly isEnabled?: boolean | undefined
  readonly priority?: number | undefined
}

/** The rating modules with their settings, which are stored only once they have been changed. */
export class ModuleSettings {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  list(): readonly SetModule[] {
    return ratingModules.map(module => settingsOf(this.#store, module))
  }

  find(name: string): SetModule | undefined {
    const module = ratingModules.find(each => each.name === name)
    return module && settingsOf(this.#store, module)
  }

  /** Takes effect from the next rated period on.
   *  @throws ApiError bad_request the module cannot be enabled, or a priority below 1 */
  async set(name: ModuleName, changes: ModuleChanges): Promise<void> {
    await this.#store.commit(tx => setModule(tx, name, changes))
  }
}

/** Enables a module in the same transaction as a change of its rules.
 *  @throws ApiError bad_request the module cannot be enabled */
export function enableModule(tx: Transaction, name: ModuleName): void {
  setModule(tx, name, { isEnabled: true })
}

function setModule(tx: Transaction, name: ModuleName, changes: ModuleChanges): void {
  const module = ratingModules.find(each => each.name === name)
  if (module === undefined) throw new RangeError(`not a module: ${name}`)
  const before = settingsOf(tx, module)
  const { isEnabled = before.isEnabled, priority = before.priority } = changes
  requireSound(module, { isEnabled, priority })
  const row = tx.get('ratingModules', name)
  const settings = { isEnabled, priority }
  const after =
    row === undefined ? { ...newStamp(tx, name), ...settings } : updatedRow(tx, row, settings)
  if (after !== row) tx.put('ratingModules', after)
}

/** The rules of the enabled modules at this moment. */
export function currentRules(reader: StoreReader): Rules {
  const hashmap = ratingModules.find(({ name }) => name === 'hashmap')
  if (hashmap === undefined || !settingsOf(reader, hashmap).isEnabled) return {}
  return {
    hashmap: compileRuleBook({
      services: reader.list('hashmapServices', 'all', everything),
      fields: reader.list('hashmapFields', 'all', everything),
      mappings: reader.list('hashmapMappings', 'all', everything),
      thresholds: reader.list('hashmapThresholds', 'all', everything),
    }),
  }
}

const firstPriority = 1

function settingsOf(reader: StoreReader, module: ModuleDescriptor): SetModule {
  const row = reader.get('ratingModules', module.name)
  return {
    ...module,
    isEnabled: row?.isEnabled ?? module.isEnabledAtFirst,
    priority: row?.priority ?? firstPriority,
  }
}

function requireSound(
  { name, canBeEnabled }: ModuleDescriptor,
  { isEnabled, priority }: Pick<RatingModule, 'isEnabled' | 'priority'>,
): void {
  if (isEnabled && !canBeEnabled)
    throw new ApiError(
      'bad_request',
      `Module ${name} cannot be enabled: its scripts are kept as text and never run.`,
    )
  if (priority < 1)
    throw new ApiError('bad_request', 'The priority of a module must be at least 1.')
}
