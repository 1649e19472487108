import type { Clock } from '../../clock.ts'
import type { Zone } from '../../model/zone.ts'
import type { Store, ZoneCommit } from '../../store/store.ts'
import { inTurns } from '../../time-slice.ts'
import { rowPages } from '../listing/row-pages.ts'
import { quotasOf } from '../rules/quotas.ts'

const dayMicros = 86_400_000_000

/** How far back a project sees its zones: as far as the log goes, or as many days as its quotas say. */
export class Retention {
  readonly #store: Store
  readonly #clock: Clock

  constructor({ store, clock }: { readonly store: Store; readonly clock: Clock }) {
    this.#store = store
    this.#clock = clock
  }

  /** The changes of a zone that its project still sees, newest first. */
  async *zoneCommits({ id, projectId }: Zone): AsyncGenerator<ZoneCommit> {
    const beginMicros = this.#beginOf(quotasOf(this.#store, projectId).historyDays)
    for await (const commit of this.#store.zoneCommits(id)) {
      if (commit.atMicros < beginMicros) return
      yield commit
    }
  }

  /** The changes of a project's zones that it still sees, newest first; a change of several zones comes once for
   *  each. */
  async *projectCommits(projectId: string): AsyncGenerator<ZoneCommit> {
    const zoneIds: string[] = []
    const pages = rowPages(this.#store, 'zones', { index: 'byProject', key: projectId })
    for await (const zones of inTurns(pages)) zoneIds.push(...zones.map(({ id }) => id))
    const beginMicros = this.#beginOf(quotasOf(this.#store, projectId).historyDays)
    for await (const commit of this.#store.projectCommits(projectId, zoneIds)) {
      if (commit.atMicros < beginMicros) return
      yield commit
    }
  }

  /** Whether the project of a zone that was deleted at that time can still see and restore it. */
  keepsDeleted({ projectId }: Zone, deletedAtMicros: number): boolean {
    return deletedAtMicros >= this.#beginOf(quotasOf(this.#store, projectId).deletedZoneDays)
  }

  #beginOf(days: number): number {
    if (days < 0) return Number.NEGATIVE_INFINITY
    return this.#clock.nowMillis() * 1000 - days * dayMicros
  }
}
