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
    throw this.#refused()
  }

  /** Begins work for a project that lasts until the returned function is called. None may be waiting.
   *  @throws ApiError too_many_requests */
  begin(projectId: string): () => void {
    if (!this.#semaphore.accepts(projectId)) throw this.#refused()
    const { promise, resolve } = Promise.withResolvers<void>()
    void this.#semaphore.run(projectId, () => promise)
    return resolve
  }

  #refused(): ApiError {
    return new ApiError('too_many_requests', this.#refusal, { retryAfterSeconds: 1 })
  }
}
