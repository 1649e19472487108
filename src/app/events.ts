import { eventBody } from '../api/dns/events.ts'
import type { Config } from '../config/config.ts'
import { withoutUserInfo } from '../config/user-info.ts'
import type { Logger } from '../log.ts'
import { EventLog } from '../service/events/event-log.ts'
import type { WebhookEvent } from '../service/events/webhook.ts'
import { Webhooks } from '../service/events/webhooks.ts'
import type { Commit, Store } from '../store/store.ts'
import { httpPost } from '../transport/outbound/http-post.ts'
import type { Outbound } from './outbound.ts'

// The composition root's part about those who follow what is changed.

/** Streams and webhooks, fed by what is published. */
export type Events = {
  readonly log: EventLog
  publish(commit: Commit): void
  startWebhooks(): Promise<void>
  /** Ends all streams and gives up what is on its way to webhooks. */
  close(): Promise<void>
}

/** Makes both; webhooks send nothing before they are started. */
export function openEvents({
  config,
  logger,
  store,
  outbound,
}: {
  readonly config: Pick<Config, 'webhookUrls' | 'webhookSecret'>
  readonly logger: Logger
  readonly store: Store
  readonly outbound: Pick<Outbound, 'reaches'>
}): Events {
  const reach = outbound.reaches.operator
  const log = new EventLog({ store })
  const webhooks = new Webhooks({
    urls: config.webhookUrls,
    secret: config.webhookSecret,
    post: (url, request, signal) => httpPost(url, request, { signal, reach }),
    store,
    log,
    bodyOf: event => eventBody(event),
    onEvent: event => logger.warn(shown(event), 'a webhook was not delivered'),
    onFailed: error => logger.error({ err: error }, 'what webhooks have sent could not be kept'),
  })
  return {
    log,
    publish: commit => log.publish(commit),
    startWebhooks: () => webhooks.start(),
    close: async () => {
      log.close()
      await webhooks.close()
    },
  }
}

function shown(event: WebhookEvent): WebhookEvent {
  return { ...event, url: withoutUserInfo(event.url) }
}
