import type { Static } from 'typebox'
import type { deliveryAnswer, webhookAnswer } from '../../api/dns/answers.ts'
import { call, send } from './client.ts'

/** The secret is only in the response to its creation. */
export type Webhook = Static<typeof webhookAnswer> & { readonly secret?: string }

export type Delivery = Static<typeof deliveryAnswer>

const path = '/v2/webhooks'

export async function listWebhooks(): Promise<readonly Webhook[]> {
  return (await call<{ webhooks: readonly Webhook[] }>({ path })).webhooks
}

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

export async function listDeliveries(id: string): Promise<readonly Delivery[]> {
  const answer = await call<{ deliveries: readonly Delivery[] }>({
    path: `${path}/${id}/deliveries`,
  })
  return answer.deliveries
}

export async function sendAgain(id: string, delivery: string): Promise<void> {
  await send({ method: 'POST', path: `${path}/${id}/deliveries/${delivery}` })
}
