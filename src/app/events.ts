import { eventBody } from '../api/dns/events.ts'
import { withoutUserInfo } from '../config/url.ts'
import { ownCaller } from '../identity/caller.ts'
import { EventLog } from '../service/events/event-log.ts'
import { ProjectWebhooks } from '../service/events/project-webhooks.ts'
import type { WebhookEvent } from '../service/events/webhook.ts'
import { WebhookRows } from '../service/events/webhook-rows.ts'
import { Webhooks } from '../service/events/webhooks.ts'
import type { Commit } from '../store/store.ts'
import { httpPost } from '../transport/outbound/http-post.ts'
import type { CommonParts } from './options.ts'
import type { Outbound } from './outbound.ts'

// The composition root's part for followers of changes.

/** Streams and webhooks, fed by published commits. */
export type Events = {
  readonly log: EventLog
  /** The webhooks of projects. */
  readonly webhookRows: WebhookRows
  publish(commit: Commit): void
  /** Starts sending to webhooks, until this node loses the duty. */
  sendWebhooks(lost: AbortSignal): Promise<void>
  /** Ends all streams and aborts running requests to webhooks. */
  close(): Promise<void>
}

type EventsOptions = Pick<CommonParts, 'config' | 'logger' | 'store'> & {
  readonly outbound: Pick<Outbound, 'reaches' | 'outboundAddresses'>
}

/** Opens both; webhooks send nothing until `sendWebhooks` is called. */
export function openEvents(options: EventsOptions): Events {
  const { store, outbound } = options
  const log = new EventLog({ store, caughtUp: store.shared?.caughtUp })
  let sending = openWebhooks(options, log)
  const webhookRows = new WebhookRows({
    store,
    sending: () => sending.ofProjects,
    addresses: outbound.outboundAddresses,
  })
  return {
    log,
    webhookRows,
    publish(commit) {
      sending.ofProjects.commitPublished(commit)
      log.publish(commit)
    },
    async sendWebhooks(lost) {
      if (lost.aborted) return
      const begun = sending
      const end = (close: () => Promise<void>) => {
        if (sending !== begun) return
        sending = openWebhooks(options, log)
        void close()
      }
      lost.addEventListener('abort', () => end(begun.giveUp))
      try {
        await begun.webhooks.start()
        await begun.ofProjects.start()
      } catch (error) {
        // Another attempt must not begin again what has begun.
        end(begun.close)
        throw error
      }
    },
    async close() {
      log.close()
      await sending.close()
    },
  }
}

/** Opens the sender of webhooks. */
function openWebhooks({ config, logger, store, outbound }: EventsOptions, log: EventLog) {
  const reach = outbound.reaches.operator
  const lost = new AbortController()
  const webhooks = new Webhooks({
    lost: lost.signal,
    urls: config.webhookUrls,
    secret: config.webhookSecret,
    post: (url, request, signal) => httpPost(url, request, { signal, reach }),
    store,
    log,
    bodyOf: event => eventBody(event),
    onEvent: event => logger.warn(shown(event), 'a webhook was not delivered'),
    onFailed: error =>
      logger.error(
        { err: error },
        'webhooks could not be sent, or what they have sent not kept; that is repeated',
      ),
  })
  const ofProjects = new ProjectWebhooks({
    ...{ store, log, lost: lost.signal },
    post: (url, request, signal) => postForProject(url, request, signal, outbound.reaches.project),
    // As every member of the project sees it.
    bodyOf: (event, projectId) => eventBody(event, ownCaller('', projectId, ['reader'])),
    onFailed: error =>
      logger.error({ err: error }, 'webhooks of projects could not be sent; that is repeated'),
  })
  const close = async () => {
    await Promise.all([webhooks.close(), ofProjects.close()])
  }
  const giveUp = () => {
    lost.abort()
    return close()
  }
  return { webhooks, ofProjects, close, giveUp }
}

/** Posts to an address that a project has set. To the project, every failure to get an answer looks the same: it must not learn
 *  what else this server can connect to. */
async function postForProject(
  url: string,
  request: Parameters<typeof httpPost>[1],
  signal: AbortSignal,
  reach: Outbound['reaches']['project'],
): Promise<number> {
  try {
    return await httpPost(url, request, { signal, reach })
  } catch (cause) {
    throw new Error('there is no answer', { cause })
  }
}

function shown(event: WebhookEvent): WebhookEvent {
  return { ...event, url: withoutUserInfo(event.url) }
}
