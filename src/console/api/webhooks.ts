import { call, send } from './client.ts'

export type Webhook = {
  readonly id: string
  readonly url: string
  readonly event_types: readonly string[]
  readonly description: string | null
  /** Only in the response to its creation. */
  readonly secret?: string
}

export type Delivery = {
  readonly id: string
  readonly event_type: string
  readonly attempted_at: string
  readonly attempts: number
  readonly status: 'DELIVERED' | 'FAILING' | 'GIVEN_UP'
  readonly reason: string | null
}

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
