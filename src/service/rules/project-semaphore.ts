import { ApiError } from '../../errors.ts'
import { Semaphore, type SemaphoreLimits } from '../../semaphore.ts'

/** Bounds work that costs the server far more than its request costs a project. */
export class ProjectSemaphore {
  readonly #semaphore: Semaphore
  readonly #refusal: string

  /** @param refusal the message for a project that has too much of it waiting */
  constructor(limits: SemaphoreLimits, refusal: string) {
    this.#semaphore = new Semaphore(limits)
    this.#refusal = refusal
  }

  /** Runs work for a project as soon as the limits allow.
   *  @throws ApiError too_many_requests */
  async run<T>(projectId: string, work: () => Promise<T>): Promise<T> {
    if (this.#semaphore.accepts(projectId)) return this.#semaphore.run(projectId, work)
    throw new ApiError('too_many_requests', this.#refusal, { retryAfterSeconds: 1 })
  }
}
