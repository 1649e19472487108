import type { Stamped } from './stamped.ts'

/** An address that a project has its events posted to. */
export type ProjectWebhook = Stamped & {
  readonly projectId: string
  /** http or https, without user, query and fragment. */
  readonly url: string
  /** Key of the signature. */
  readonly secret: string
  /** Beginnings of the types of events that are sent, such as `dns.zone.`; none: all. */
  readonly eventTypes: readonly string[]
  readonly description: string | null
}

/** What can be said of a webhook. */
export type WebhookDraft = Pick<ProjectWebhook, 'url' | 'secret' | 'eventTypes' | 'description'>

/** Of one project: each may hold a connection for as long as its receiver likes. */
export const maxProjectWebhooks = 10
