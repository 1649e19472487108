import { eventBody } from '../api/dns/events.ts'
import type { Config } from '../config/config.ts'
import { withoutUserInfo } from '../config/url.ts'
import type { Caller } from '../identity/caller.ts'
import type { Logger } from '../log.ts'
import { EventLog } from '../service/events/event-log.ts'
import { ProjectWebhooks } from '../service/events/project-webhooks.ts'
import type { WebhookEvent } from '../service/events/webhook.ts'
import { WebhookRows } from '../service/events/webhook-rows.ts'
import { Webhooks } from '../service/events/webhooks.ts'
import type { Commit, Store } from '../store/store.ts'
import { httpPost } from '../transport/outbound/http-post.ts'
import type { Outbound } from './outbound.ts'

// The composition root's part about those who follow what is changed.

/** Streams and webhooks, fed by what is published. */
export type Events = {
  readonly log: EventLog
  /** What projects have set up. */
  readonly webhookRows: WebhookRows
  publish(commit: Commit): void
  /** Begins to send to webhooks, until this node loses the duty to. */
  sendWebhooks(lost: AbortSignal): Promise<void>
  /** Ends all streams and gives up what is on its way to webhooks. */
  close(): Promise<void>
}

type EventsOptions = {
  readonly config: Pick<Config, 'webhookUrls' | 'webhookSecret'>
  readonly logger: Logger
  readonly store: Store
  readonly outbound: Pick<Outbound, 'reaches' | 'addresses'>
}

/** Makes both; webhooks send nothing before that is begun. */
export function openEvents(options: EventsOptions): Events {
  const { store, outbound } = options
  const log = new EventLog({ store, caughtUp: store.shared?.caughtUp })
  let sending = openWebhooks(options, log)
  const webhookRows = new WebhookRows({
    store,
    sending: () => sending.ofProjects,
    addresses: outbound.addresses,
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
      const { webhooks, ofProjects, close } = sending
      lost.addEventListener('abort', () => {
        sending = openWebhooks(options, log)
        void close()
      })
      await webhooks.start()
      await ofProjects.start()
    },
    async close() {
      log.close()
      await sending.close()
    },
  }
}

/** What sends to webhooks, once. */
function openWebhooks({ config, logger, store, outbound }: EventsOptions, log: EventLog) {
  const reach = outbound.reaches.operator
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
  const ofProjects = new ProjectWebhooks({
    ...{ store, log },
    post: (url, request, signal) => postForProject(url, request, signal, outbound.reaches.project),
    bodyOf: (event, projectId) => eventBody(event, readerOf(projectId)),
    onFailed: error => logger.error({ err: error }, 'webhooks of projects are not sent any more'),
  })
  const close = async () => {
    await Promise.all([webhooks.close(), ofProjects.close()])
  }
  return { webhooks, ofProjects, close }
}

/** Posts to where a project has asked for. All that is no answer looks the same to it: what this server can connect to
 *  otherwise is nobody's business. */
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

/** A member of a project who sees what all of them do. */
function readerOf(projectId: string): Caller {
  return {
    userId: '',
    userName: '',
    projectId,
    roles: ['reader'],
    hasAllProjects: false,
    mayEditManagedRecords: false,
    wantsDeleteShares: false,
  }
}

function shown(event: WebhookEvent): WebhookEvent {
  return { ...event, url: withoutUserInfo(event.url) }
}
