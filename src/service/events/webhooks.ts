import { setTimeout as delay } from 'node:timers/promises'
import { type Delivery, type Post, Webhook, type WebhookEvent } from './webhook.ts'

export type WebhooksOptions = {
  readonly urls: readonly string[]
  readonly secret: string | undefined
  readonly post: Post
  readonly onEvent: (event: WebhookEvent) => void
}

/** All configured webhooks; each has a queue and a patience of its own. */
export class Webhooks {
  readonly #webhooks: readonly Webhook[]

  constructor({ urls, ...options }: WebhooksOptions) {
    const wait = (ms: number, signal: AbortSignal) => delay(ms, undefined, { signal, ref: false })
    this.#webhooks = urls.map(url => new Webhook({ ...options, url, wait }))
  }

  /** Whether anybody would be told. */
  get isEmpty(): boolean {
    return this.#webhooks.length === 0
  }

  offer(delivery: Delivery): void {
    for (const webhook of this.#webhooks) webhook.offer(delivery)
  }

  async close(): Promise<void> {
    await Promise.all(this.#webhooks.map(webhook => webhook.close()))
  }
}
