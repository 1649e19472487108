import { ApiError } from '../errors.ts'
import type { CollectorMapping } from '../model/rating.ts'
import { newStamp, updatedRow } from '../model/stamped.ts'
import { everything } from '../store/indexes.ts'
import type { Store } from '../store/store.ts'
import { requireName } from './named-rows.ts'

/** Stores which collector serves a service, and which collectors are on. Clients may read and set this; the only actual
 *  collector, our own meter, ignores it. */
export class Collectors {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /** All mappings, or those to one collector. */
  mappings(collector?: string): readonly CollectorMapping[] {
    const all = [...this.#store.list('collectorMappings', 'all', everything)]
    return collector === undefined ? all : all.filter(each => each.collector === collector)
  }

  /** @throws ApiError not_found */
  mappingOf(service: string): CollectorMapping {
    const mapping = this.#store.get('collectorMappings', service)
    if (mapping === undefined) throw new ApiError('not_found', `No mapping for service: ${service}`)
    return mapping
  }

  /** Maps a service to a collector, replacing an earlier mapping.
   *  @throws ApiError bad_request */
  map(service: string, collector: string): Promise<CollectorMapping> {
    requireName(service)
    requireName(collector)
    return this.#store.commit(tx => {
      const before = tx.get('collectorMappings', service)
      const mapping =
        before === undefined
          ? { ...newStamp(tx, service), collector }
          : updatedRow(tx, before, { collector })
      return tx.put('collectorMappings', mapping)
    })
  }

  /** @throws ApiError not_found */
  async unmap(service: string): Promise<void> {
    await this.#store.commit(tx => {
      if (tx.get('collectorMappings', service) === undefined)
        throw new ApiError('not_found', `No mapping for service: ${service}`)
      tx.delete('collectorMappings', service)
    })
  }

  /** False for a collector that was never switched. */
  isEnabled(name: string): boolean {
    return this.#store.get('collectorStates', name)?.isEnabled ?? false
  }

  /** @throws ApiError bad_request */
  async switch(name: string, isEnabled: boolean): Promise<void> {
    requireName(name)
    await this.#store.commit(tx => {
      const before = tx.get('collectorStates', name)
      const state =
        before === undefined
          ? { ...newStamp(tx, name), isEnabled }
          : updatedRow(tx, before, { isEnabled })
      tx.put('collectorStates', state)
    })
  }
}
