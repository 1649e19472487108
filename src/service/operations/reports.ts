import { everything } from '../../store/indexes.ts'
import type { Store } from '../../store/store.ts'
import type { ExternalTargets } from '../targets/external-targets.ts'

/** What can be counted over all projects. */
export type CountName = 'zones' | 'recordsets' | 'records' | 'tenants' | 'zonesDelayedNotify'

/** A project with the number of its zones. */
export type Tenant = { readonly id: string; readonly zoneCount: number }

type ReportsOptions = {
  readonly store: Store
  readonly externalTargets: Pick<ExternalTargets, 'unnotifiedCount'>
}

/** Counts over all projects, for administrators. Every count is kept up to date by changes and only looked up. */
export class Reports {
  readonly #store: Store
  readonly #externalTargets: ReportsOptions['externalTargets']

  constructor({ store, externalTargets }: ReportsOptions) {
    this.#store = store
    this.#externalTargets = externalTargets
  }

  /** Zones, including those being deleted; recordsets; records, including those of SOA and apex NS; projects that have zones;
   *  or zones of which external targets have yet to be notified. */
  count(name: CountName): number {
    switch (name) {
      case 'zones':
        return this.#store.count('zones', 'all', everything)
      case 'recordsets':
        return this.#store.size('recordsets')
      case 'records':
        return this.#recordCount()
      case 'tenants':
        return this.#store.countGroups('zones', 'byProject')
      case 'zonesDelayedNotify':
        return this.#externalTargets.unnotifiedCount
    }
  }

  /** The projects that have zones, by id. */
  tenants(): readonly Tenant[] {
    return this.#store
      .groupKeys('zones', 'byProject')
      .map(id => ({ id, zoneCount: this.#zoneCountOf(id) }))
      .sort((left, right) => (left.id < right.id ? -1 : 1))
  }

  /** One project with the names of its zones, in order of creation. Whether the project exists is not checked: it may be
   *  another identity service's. */
  tenant(id: string): Tenant & { readonly zoneNames: readonly string[] } {
    const zones = this.#store.list('zones', 'byProject', id)
    return {
      id,
      zoneCount: this.#zoneCountOf(id),
      zoneNames: Array.from(zones, ({ name }) => name),
    }
  }

  #recordCount(): number {
    const sums = ['recordsOfZone', 'managedRecordsOfZone'] as const
    const abandoned = [...this.#store.list('zones', 'abandoned', everything)]
    const countOf = (sum: (typeof sums)[number]): number =>
      abandoned.reduce(
        (count, { id }) => count - this.#store.sum('recordsets', sum, id),
        this.#store.total('recordsets', sum),
      )
    return countOf('recordsOfZone') + countOf('managedRecordsOfZone')
  }

  #zoneCountOf(projectId: string): number {
    return this.#store.count('zones', 'byProject', projectId)
  }
}
