import type { Static } from 'typebox'
import type { deliveryAnswer, webhookAnswer } from '../../api/dns/answers.ts'
import { call, send } from './client.ts'
import { list } from './lists.ts'

/** The secret is only in the response to its creation. */
export type Webhook = Static<typeof webhookAnswer> & { readonly secret?: string }

export type Delivery = Static<typeof deliveryAnswer>

const path = '/v2/webhooks'

export const listWebhooks = () => list<Webhook>('webhooks', { path })

/** Creates a webhook, or changes the one with an id. */
export function saveWebhook(
  id: string | undefined,
  draft: Pick<Webhook, 'url' | 'event_types' | 'description'>,
): Promise<Webhook> {
  if (id === undefined) return call({ method: 'POST', path, body: draft })
  return call({ method: 'PATCH', path: `${path}/${id}`, body: draft })
}

export async function deleteWebhook(id: string): Promise<void> {
  await send({ method: 'DELETE', path: `${path}/${id}` })
}

export function listDeliveries(id: string): Promise<readonly Delivery[]> {
  return list('deliveries', { path: `${path}/${id}/deliveries` })
}

export async function sendAgain(id: string, delivery: string): Promise<void> {
  await send({ method: 'POST', path: `${path}/${id}/deliveries/${delivery}` })
}
