import { getOrPut } from '../get-or-put.ts'
import type { Period } from '../period.ts'
import { overlaps } from './restrict.ts'
import type { Series } from './series.ts'

/** Takes away all points that begin in a period: of a project and of an origin, or of any. */
export type Removal = {
  readonly projectId?: string
  readonly origin?: string
  readonly period: Period
}

/** All removals of one project and origin, as disjoint periods in order. */
type Scope = Omit<Removal, 'period'> & { readonly periods: readonly Period[] }

/** Removals as the manifest holds them. */
export type StoredRemovals = readonly {
  readonly generation: number
  readonly scopes: readonly Scope[]
}[]

/** A removal with its generation, which is closed. */
export type ClosedRemoval = Removal & { readonly generation: number }

/** As in the manifest. */
type Kept = {
  readonly firstJournal: number
  readonly segments: readonly { readonly generation: number; readonly span: Period }[]
}

/** The removals that readers of earlier points apply. Stored points are never edited: each carries the generation it was
 *  stored in, and a removal hides the points of earlier generations. Points of its own generation are still in memory
 *  and are removed there. */
export class Removals {
  readonly #scopesByGeneration: Map<number, Map<string, Scope>>

  constructor(scopesByGeneration = new Map<number, Map<string, Scope>>()) {
    this.#scopesByGeneration = scopesByGeneration
  }

  static load(stored: StoredRemovals): Removals {
    const byGeneration = stored.map(
      ({ generation, scopes }) => [generation, new Map(scopes.map(s => [keyOf(s), s]))] as const,
    )
    return new Removals(new Map(byGeneration))
  }

  add(generation: number, { period, ...scope }: Removal): void {
    const scopes = getOrPut(this.#scopesByGeneration, generation, () => new Map<string, Scope>())
    const key = keyOf(scope)
    const periods = withPeriod(scopes.get(key)?.periods ?? [], period)
    scopes.set(key, { ...scope, periods })
  }

  /** The removals as of now, which later ones do not change. */
  snapshot(): Removals {
    const copies = [...this.#scopesByGeneration].map(
      ([generation, scopes]) => [generation, new Map(scopes)] as const,
    )
    return new Removals(new Map(copies))
  }

  /** The periods that are removed from a series as it was stored in a generation. They may overlap. */
  hidingFrom(generation: number): (series: Series) => readonly Period[] {
    const later = [...this.#scopesByGeneration].filter(([own]) => own > generation)
    if (later.length === 0) return () => []
    // Series come project by project, so the next question is nearly always the same as the last.
    let last: { projectId: string; origin: string; periods: readonly Period[] } | undefined
    return ({ projectId, origin }) => {
      if (last?.projectId !== projectId || last.origin !== origin) {
        const keys = [{ projectId, origin }, { projectId }, { origin }, {}].map(keyOf)
        const periods = later.flatMap(([, scopes]) =>
          keys.flatMap(key => scopes.get(key)?.periods ?? []),
        )
        last = { projectId, origin, periods }
      }
      return last.periods
    }
  }

  /** The removals of the generations before `end`. */
  closed(end: number): readonly ClosedRemoval[] {
    return this.store(end).flatMap(({ generation, scopes }) =>
      scopes.flatMap(({ periods, ...scope }) =>
        periods.map(period => ({ ...scope, period, generation })),
      ),
    )
  }

  /** Drops removals of the generations before `firstJournal` that hide nothing in any segment. */
  keepNeeded({ firstJournal, segments }: Kept): void {
    const isNeeded = (generation: number, period: Period) =>
      segments.some(entry => entry.generation < generation && overlaps(period, entry.span))
    for (const [generation, scopes] of this.#scopesByGeneration) {
      if (generation >= firstJournal) continue
      for (const [key, scope] of scopes) {
        const periods = scope.periods.filter(period => isNeeded(generation, period))
        if (periods.length > 0) scopes.set(key, { ...scope, periods })
        else scopes.delete(key)
      }
      if (scopes.size === 0) this.#scopesByGeneration.delete(generation)
    }
  }

  /** The removals of the generations before `end`. */
  store(end: number): StoredRemovals {
    return [...this.#scopesByGeneration]
      .filter(([generation]) => generation < end)
      .map(([generation, scopes]) => ({ generation, scopes: [...scopes.values()] }))
  }
}

function keyOf({ projectId, origin }: Omit<Removal, 'period'>): string {
  return JSON.stringify([projectId, origin])
}

/** Adds a period to disjoint periods in order; those it touches become one with it. */
function withPeriod(periods: readonly Period[], added: Period): readonly Period[] {
  const before = periods.filter(period => period.end < added.begin)
  const after = periods.filter(period => period.begin > added.end)
  const touched = periods.slice(before.length, periods.length - after.length)
  const begin = Math.min(added.begin, ...touched.map(period => period.begin))
  const end = Math.max(added.end, ...touched.map(period => period.end))
  return [...before, { begin, end }, ...after]
}
