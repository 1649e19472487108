import type { Clock } from '../../clock.ts'

type CircuitOptions = {
  readonly clock: Clock
  /** Failures in a row until it opens. */
  readonly maxFailures: number
  /** How long it then stays open without any attempt. */
  readonly openMillis: number
  /** Called once when it opens, with the last failure, and once when it closes again. */
  readonly onChange: (change: CircuitChange) => void
}

export type CircuitChange =
  | { readonly kind: 'opened'; readonly cause: unknown }
  | { readonly kind: 'closed' }

/** The circuit is open: nothing was tried. */
export class CircuitOpen extends Error {
  override readonly name = 'CircuitOpen'
  readonly retryAfterSeconds: number

  constructor(waitMillis: number) {
    super('the circuit is open')
    this.retryAfterSeconds = Math.max(1, Math.ceil(waitMillis / 1000))
  }
}

/** Stops requests to a service that no longer answers, so that no client waits in vain; then one request at a time tests it. */
export class CircuitBreaker {
  readonly #options: CircuitOptions
  #failureCount = 0
  #openUntilMillis = 0
  #isProbing = false

  constructor(options: CircuitOptions) {
    this.#options = options
  }

  /** @throws CircuitOpen; or what the task throws, which counts as a failure */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (!this.#isOpen) return this.#try(task)
    const waitMillis = this.#openUntilMillis - this.#options.clock.nowMillis()
    if (waitMillis > 0 || this.#isProbing) throw new CircuitOpen(waitMillis)
    this.#isProbing = true
    try {
      return await this.#try(task)
    } finally {
      this.#isProbing = false
    }
  }

  get #isOpen(): boolean {
    return this.#failureCount >= this.#options.maxFailures
  }

  async #try<T>(task: () => Promise<T>): Promise<T> {
    try {
      const result = await task()
      this.#succeed()
      return result
    } catch (cause) {
      this.#fail(cause)
      throw cause
    }
  }

  #succeed(): void {
    const wasOpen = this.#isOpen
    this.#failureCount = 0
    if (wasOpen) this.#options.onChange({ kind: 'closed' })
  }

  #fail(cause: unknown): void {
    const { clock, openMillis, onChange } = this.#options
    const wasOpen = this.#isOpen
    this.#failureCount += 1
    if (!this.#isOpen) return
    this.#openUntilMillis = clock.nowMillis() + openMillis
    if (!wasOpen) onChange({ kind: 'opened', cause })
  }
}
