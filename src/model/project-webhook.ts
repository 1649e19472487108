import type { Stamped } from './stamped.ts'

/** A URL to which the events of a project are posted. */
export type ProjectWebhook = Stamped & {
  readonly projectId: string
  /** http or https, without user, query and fragment. */
  readonly url: string
  /** Key of the signature. */
  readonly secret: string
  /** Prefixes of the event types that are sent, such as `dns.zone.`; none: all. */
  readonly eventTypes: readonly string[]
  readonly description: string | null
}

/** The fields of a webhook that a client sets. */
export type WebhookDraft = Pick<ProjectWebhook, 'url' | 'secret' | 'eventTypes' | 'description'>

/** Per project: each may hold a connection for as long as its receiver delays the response. */
export const maxProjectWebhooks = 10
