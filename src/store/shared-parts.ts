import type { SoaTimers, Zone } from '../model/zone.ts'

/** Lets zones that are read from files share what is equal in them: most are of few projects and pools, and a third of what a row
 *  weighs is that. */
export class SharedParts {
  readonly #texts = new Map<string, string>()
  readonly #timers = new Map<string, SoaTimers>()
  readonly #attributes = {}
  readonly #masters: readonly string[] = []

  /** Changes a row that no other code holds yet. */
  share(row: Zone): void {
    const own: { -readonly [M in keyof Zone]: Zone[M] } = row
    own.projectId = shared(this.#texts, row.projectId, row.projectId)
    own.poolId = shared(this.#texts, row.poolId, row.poolId)
    if (row.email !== null) own.email = shared(this.#texts, row.email, row.email)
    if (row.masters.length === 0) own.masters = this.#masters
    if (Object.keys(row.attributes).length === 0) own.attributes = this.#attributes
    const timers = Object.values(row.soaTimers).join()
    own.soaTimers = shared(this.#timers, timers, row.soaTimers)
  }
}

/** What is known under a key, or from now on is. */
function shared<T>(known: Map<string, T>, key: string, value: T): T {
  const first = known.get(key)
  if (first !== undefined) return first
  known.set(key, value)
  return value
}
