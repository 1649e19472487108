import type { Stamped } from './stamped.ts'

/** How far events were delivered to the receiver at an address. The id is made of the address, which may hold a secret. */
export type WebhookCursor = Stamped & {
  /** The id of the last event that was delivered or given up. */
  readonly eventId: string
}
