import type { EventLog } from './event-log.ts'
import type { ResourceEvent } from './resource-event.ts'
import { retried } from './retried.ts'
import { deliveryOf, type Post, Webhook, type WebhookEvent } from './webhook.ts'
import { cursorIdOf, WebhookCursors, type WebhookCursorsOptions } from './webhook-cursors.ts'

type WebhooksOptions = WebhookCursorsOptions & {
  readonly urls: readonly string[]
  readonly secret: string | undefined
  readonly post: Post
  readonly log: Pick<EventLog, 'follow'>
  /** An event as receivers see it. */
  readonly bodyOf: (event: ResourceEvent) => object
  readonly onEvent: (event: WebhookEvent) => void
}

/** All configured webhooks. Each follows the events at its own pace, and continues after a restart where it was:
 *  nothing waits for a receiver, and a receiver that is down for a while misses no event. */
export class Webhooks {
  readonly #options: WebhooksOptions
  readonly #webhooks: ReadonlyMap<string, Webhook>
  readonly #cursors: WebhookCursors
  readonly #stop = new AbortController()
  #running: Promise<unknown> = Promise.resolve()

  constructor(options: WebhooksOptions) {
    this.#options = options
    this.#webhooks = new Map(
      options.urls.map(url => [url, new Webhook({ ...options, url })] as const),
    )
    this.#cursors = new WebhookCursors(options)
  }

  /** Begins to send. What is committed after this resolves will be sent, whatever happens. */
  async start(): Promise<void> {
    await this.#cursors.open(this.#options.urls.map(cursorIdOf))
    this.#running = Promise.all(
      Array.from(this.#webhooks, ([url, webhook]) =>
        retried(() => this.#follow(url, webhook), {
          ...this.#options,
          signal: this.#stop.signal,
        }),
      ),
    )
  }

  /** Cancels the deliveries under way; they are sent after the next start. Idempotent. */
  async close(): Promise<void> {
    this.#stop.abort()
    for (const webhook of this.#webhooks.values()) webhook.close()
    await this.#running
    await this.#cursors.keep()
  }

  async #follow(url: string, webhook: Webhook): Promise<void> {
    const { log, bodyOf, onEvent } = this.#options
    const { signal } = this.#stop
    const isVisible = () => true
    const cursorId = cursorIdOf(url)
    const afterId = this.#cursors.cursorOf(cursorId)
    for await (const followed of log.follow({ isVisible, afterId, signal })) {
      const { kind, id } = followed
      if (kind === 'mark') {
        this.#cursors.pass(cursorId, id)
        continue
      }
      if (kind === 'gap') onEvent({ kind, url, id })
      else if (!(await webhook.deliver(deliveryOf(followed.event, bodyOf(followed.event))))) return
      this.#cursors.note(cursorId, id)
    }
  }
}
