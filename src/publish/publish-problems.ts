import type { Zone } from '../model/zone.ts'

/** Something that is stored but not served. */
export type PublishProblem = {
  readonly zone: Zone
  readonly problem: string
  /** What was thrown, if it was unexpected. */
  readonly error?: unknown
}

/** What is not served, by zone and then by recordset; problems of a whole zone are filed under the zone's id. */
export class PublishProblems {
  readonly #byZone = new Map<string, Map<string, string>>()
  readonly #onProblem: (problem: PublishProblem) => void

  constructor(onProblem: (problem: PublishProblem) => void) {
    this.#onProblem = onProblem
  }

  get(zoneId: string, id: string): string | undefined {
    return this.#byZone.get(zoneId)?.get(id)
  }

  /** The ids with a problem, each with its zone. */
  get ids(): readonly (readonly [zoneId: string, id: string])[] {
    return [...this.#byZone].flatMap(([zoneId, problems]) =>
      Array.from(problems.keys(), id => [zoneId, id] as const),
    )
  }

  /** Any one problem of the zone. */
  firstOf(zoneId: string): string | undefined {
    const [first] = this.#byZone.get(zoneId)?.values() ?? []
    return first
  }

  report(zone: Zone, id: string, { problem, error }: Omit<PublishProblem, 'zone'>): void {
    const problems = this.#byZone.get(zone.id) ?? new Map<string, string>()
    this.#byZone.set(zone.id, problems.set(id, problem))
    this.#onProblem({ zone, problem, ...(error !== undefined && { error }) })
  }

  /** As `report`, for what was thrown. */
  reportThrown(zone: Zone, id: string, error: unknown): void {
    this.report(zone, id, { problem: messageOf(error), error })
  }

  forget(zoneId: string, id: string): void {
    const problems = this.#byZone.get(zoneId)
    problems?.delete(id)
    if (problems?.size === 0) this.#byZone.delete(zoneId)
  }

  forgetZone(zoneId: string): void {
    this.#byZone.delete(zoneId)
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
