import type { Stamped } from './stamped.ts'

/** How far the receiver at an address has been told. The id is made of the address, which may hold a secret. */
export type WebhookCursor = Stamped & {
  /** The id of the last event that was delivered or given up. */
  readonly eventId: string
}
