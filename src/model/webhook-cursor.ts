import type { Stamped } from './stamped.ts'

/** How far events were delivered to the receiver at a URL. The id is derived from the URL, which may contain a secret. */
export type WebhookCursor = Stamped & {
  /** The id of the last event that was delivered or abandoned. */
  readonly eventId: string
}
