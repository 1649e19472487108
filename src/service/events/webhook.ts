import { createHmac } from 'node:crypto'

// Events to an address of somebody else, in order, one at a time. The receiver may be slow, down or gone: what
// waits is bounded, and so is the patience with one event.

/** Sends a body; resolves with the status, or rejects where there is no answer. */
export type Post = (
  url: string,
  request: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
  signal: AbortSignal,
) => Promise<number>

/** What is delivered: the body says all, the id makes a repetition recognizable. */
export type Delivery = { readonly id: string; readonly type: string; readonly body: string }

export type WebhookEvent =
  | {
      readonly kind: 'given-up'
      readonly url: string
      readonly id: string
      readonly reason: string
    }
  | { readonly kind: 'dropped'; readonly url: string; readonly id: string }

export type WebhookOptions = {
  readonly url: string
  /** Key of the signature; undefined: none is sent. */
  readonly secret: string | undefined
  readonly post: Post
  /** Waits before another try; rejects when the signal aborts. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
  readonly onEvent: (event: WebhookEvent) => void
}

const maxWaiting = 10_000
const maxAttempts = 10
const firstRetryMs = 1_000
const maxRetryMs = 300_000

/** Delivers to one address. */
export class Webhook {
  readonly #options: WebhookOptions
  readonly #waiting: Delivery[] = []
  readonly #stop = new AbortController()
  #running: Promise<void> | undefined

  constructor(options: WebhookOptions) {
    this.#options = options
  }

  /** Takes an event; where too many wait, the oldest of them is dropped. */
  offer(delivery: Delivery): void {
    if (this.#stop.signal.aborted) return
    this.#waiting.push(delivery)
    if (this.#waiting.length > maxWaiting) {
      // The first may be on its way.
      const [dropped] = this.#waiting.splice(1, 1)
      if (dropped !== undefined) this.#tell({ kind: 'dropped', id: dropped.id })
    }
    this.#running ??= this.#deliverAll()
  }

  /** Gives up what waits. Idempotent. */
  async close(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  async #deliverAll(): Promise<void> {
    // Not before the run is noted down.
    await Promise.resolve()
    for (;;) {
      const delivery = this.#waiting[0]
      if (delivery === undefined || this.#stop.signal.aborted) break
      await this.#deliver(delivery)
      this.#waiting.shift()
    }
    this.#running = undefined
  }

  async #deliver(delivery: Delivery): Promise<void> {
    let reason = ''
    for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
      const failure = await this.#attempt(delivery)
      if (failure === undefined || this.#stop.signal.aborted) return
      reason = failure.reason
      if (failure.isFinal || attempt === maxAttempts) break
      const delayMs = Math.min(maxRetryMs, firstRetryMs * 2 ** (attempt - 1))
      await this.#options.wait(delayMs, this.#stop.signal).catch(() => undefined)
      if (this.#stop.signal.aborted) return
    }
    this.#tell({ kind: 'given-up', id: delivery.id, reason })
  }

  async #attempt(delivery: Delivery): Promise<Failure | undefined> {
    const { url, post } = this.#options
    const request = { headers: this.#headers(delivery), body: delivery.body }
    try {
      return failureOf(await post(url, request, this.#stop.signal))
    } catch (error) {
      return { reason: error instanceof Error ? error.message : String(error), isFinal: false }
    }
  }

  #headers({ id, type, body }: Delivery): Record<string, string> {
    const { secret } = this.#options
    const signature = secret ? createHmac('sha256', secret).update(body).digest('hex') : undefined
    return {
      'content-type': 'application/json',
      'x-zonewright-event': type,
      'x-zonewright-delivery': id,
      ...(signature === undefined ? {} : { 'x-zonewright-signature': `sha256=${signature}` }),
    }
  }

  #tell(event: DistributedOmit<WebhookEvent, 'url'>): void {
    this.#options.onEvent({ ...event, url: this.#options.url })
  }
}

type DistributedOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never

type Failure = { readonly reason: string; readonly isFinal: boolean }

/** A receiver that refuses will refuse again, unless it only asks for time. */
function failureOf(status: number): Failure | undefined {
  if (status >= 200 && status < 300) return undefined
  const isFinal = status >= 400 && status < 500 && status !== 408 && status !== 429
  return { reason: `it answered ${status}`, isFinal }
}
