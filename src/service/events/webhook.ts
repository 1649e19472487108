import { createHmac } from 'node:crypto'
import type { ResourceEvent } from './resource-event.ts'
import { pause } from './retried.ts'

// Sends events to an external address, one at a time. The receiver may be slow, down or gone: the attempts for one
// event are bounded.

/** Sends a body; resolves to the status, or rejects where there is no response. */
export type Post = (
  url: string,
  request: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
  signal: AbortSignal,
) => Promise<number>

/** A delivery: the body has everything, the id makes a repetition recognizable. */
export type Delivery = { readonly id: string; readonly type: string; readonly body: string }

export function deliveryOf({ id, type }: ResourceEvent, body: object): Delivery {
  return { id, type, body: JSON.stringify(body) }
}

export type WebhookEvent =
  | {
      readonly kind: 'given-up'
      readonly url: string
      readonly id: string
      readonly reason: string
    }
  /** The events between the last one sent and this cursor can no longer be sent. */
  | { readonly kind: 'gap'; readonly url: string; readonly id: string }

/** The outcome of an attempt to deliver. */
export type Attempt = Pick<Delivery, 'id' | 'type'> & {
  readonly atMillis: number
  /** The number of the attempt within this delivery. */
  readonly attempt: number
  readonly state: 'delivered' | 'failing' | 'given_up'
  /** Why it failed. */
  readonly reason: string | undefined
}

type WebhookOptions = {
  readonly url: string
  /** Key of the signature; undefined: none is sent. */
  readonly secret: string | undefined
  readonly post: Post
  /** Waits before another attempt; rejects when the signal aborts. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>
  readonly onEvent?: (event: WebhookEvent) => void
  readonly onAttempt?: (attempt: Attempt) => void
}

const maxAttempts = 10
const firstRetryMs = 1_000
const maxRetryMs = 300_000

/** Delivers to one address. */
export class Webhook {
  readonly #options: WebhookOptions
  readonly #stop = new AbortController()

  constructor(options: WebhookOptions) {
    this.#options = options
  }

  /** Cancels the delivery under way. Idempotent. */
  close(): void {
    this.#stop.abort()
  }

  /** Delivers an event. Resolves to true when it has been delivered or finally given up, and to false when the
   *  webhook was closed before. */
  async deliver(delivery: Delivery): Promise<boolean> {
    const { url, wait = pause, onEvent } = this.#options
    let reason = ''
    for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
      const failure = await this.#attempt(delivery)
      if (failure !== undefined && this.#stop.signal.aborted) return false
      this.#note(delivery, attempt, failure)
      if (failure === undefined) return true
      reason = failure.reason
      if (failure.isFinal || attempt === maxAttempts) break
      const delayMs = Math.min(maxRetryMs, firstRetryMs * 2 ** (attempt - 1))
      await wait(delayMs, this.#stop.signal).catch(() => undefined)
      if (this.#stop.signal.aborted) return false
    }
    onEvent?.({ kind: 'given-up', url, id: delivery.id, reason })
    return true
  }

  /** Makes a single attempt. */
  async deliverOnce(delivery: Delivery): Promise<Attempt> {
    const failure = await this.#attempt(delivery)
    return this.#note(delivery, 1, failure && { ...failure, isFinal: true })
  }

  #note({ id, type }: Delivery, attempt: number, failure: Failure | undefined): Attempt {
    const isOver = failure?.isFinal === true || attempt === maxAttempts
    const state = failure === undefined ? 'delivered' : isOver ? 'given_up' : 'failing'
    const noted: Attempt = {
      ...{ id, type, attempt, state },
      atMillis: Date.now(),
      reason: failure?.reason,
    }
    this.#options.onAttempt?.(noted)
    return noted
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
}

type Failure = { readonly reason: string; readonly isFinal: boolean }

/** A receiver that refuses (4xx) will refuse again, unless it only asks for more time (408, 429). */
function failureOf(status: number): Failure | undefined {
  if (status >= 200 && status < 300) return undefined
  const isFinal = status >= 400 && status < 500 && status !== 408 && status !== 429
  return { reason: `it answered ${status}`, isFinal }
}
