import { Type } from 'typebox'
import type { ProjectWebhook } from '../../model/project-webhook.ts'
import type { Attempt } from '../../service/events/webhook.ts'
import type { WebhookRows } from '../../service/events/webhook-rows.ts'
import { requestBody } from '../openapi/fields.ts'
import { type RequestContext, type Route, route } from '../route.ts'
import { formatTimestamp, timesOf } from '../timestamps.ts'
import {
  deliveriesAnswer,
  deliveryAnswer,
  newWebhookAnswer,
  webhookAnswer,
  webhooksAnswer,
} from './answers.ts'
import { descriptionField } from './field-schemas.ts'

const fields = {
  url: Type.String({
    pattern: '^https?://[^/?#@\\s]+(?:/[^?#\\s]*)?$',
    maxLength: 2048,
    examples: ['https://hooks.example.com/dns'],
  }),
  secret: Type.Optional(
    Type.String({ minLength: 16, maxLength: 256, examples: ['9pVb6vZcQ3mP0Yb8lq0nXw'] }),
  ),
  event_types: Type.Optional(
    Type.Array(Type.String({ pattern: '^[a-z_.]+$', maxLength: 64, examples: ['dns.zone.'] }), {
      maxItems: 32,
    }),
  ),
  description: Type.Optional(descriptionField),
}
const createSchema = requestBody('webhook', fields)
const patchSchema = requestBody('webhook', { ...fields, url: Type.Optional(fields.url) })

/** Where a project has its events posted. */
export function webhookRoutes(webhooks: WebhookRows): readonly Route[] {
  return [
    route(`GET ${path}`, {
      rule: 'get_webhooks',
      summary: 'Lists the webhooks of a project',
      answers: { 200: webhooksAnswer },
      respond(context) {
        const rows = webhooks.list(context.caller)
        return { webhooks: rows.map(row => viewOf(row, context)) }
      },
    }),
    route(`POST ${path}`, {
      rule: 'manage_webhooks',
      summary: 'Has the events of a project posted to an address',
      answers: { 201: newWebhookAnswer },
      refusals: ['invalid_object', 'over_quota'],
      bodySchema: createSchema,
      async respond(context) {
        const { url, secret, event_types = [], description = null } = context.body
        const draft = { url, eventTypes: event_types, description, ...(secret && { secret }) }
        const row = await webhooks.create(context.caller, draft)
        // Shown this once.
        return { ...viewOf(row, context), secret: row.secret }
      },
    }),
    route(`GET ${path}/:webhook_id`, {
      rule: 'get_webhooks',
      summary: 'Shows a webhook',
      answers: { 200: webhookAnswer },
      refusals: ['not_found'],
      respond: context => viewOf(webhooks.get(context.caller, context.id('webhook_id')), context),
    }),
    route(`PATCH ${path}/:webhook_id`, {
      rule: 'manage_webhooks',
      summary: 'Changes a webhook',
      answers: { 200: webhookAnswer },
      refusals: ['not_found', 'invalid_object'],
      bodySchema: patchSchema,
      async respond(context) {
        const { event_types, ...changes } = context.body
        const row = await webhooks.update(context.caller, context.id('webhook_id'), {
          ...changes,
          ...(event_types && { eventTypes: event_types }),
        })
        return viewOf(row, context)
      },
    }),
    route(`DELETE ${path}/:webhook_id`, {
      rule: 'manage_webhooks',
      summary: 'Deletes a webhook',
      answers: { 204: null },
      refusals: ['not_found'],
      respond: ({ caller, id }) => webhooks.delete(caller, id('webhook_id')),
    }),
    ...deliveryRoutes(webhooks),
  ]
}

function deliveryRoutes(webhooks: WebhookRows): readonly Route[] {
  return [
    route(`GET ${path}/:webhook_id/deliveries`, {
      rule: 'get_webhooks',
      summary: 'Lists what was last sent to a webhook, and how that went',
      answers: { 200: deliveriesAnswer },
      refusals: ['not_found'],
      respond({ caller, id }) {
        const rows = webhooks.deliveries(caller, id('webhook_id'))
        return { deliveries: rows.map(deliveryView) }
      },
    }),
    route(`POST ${path}/:webhook_id/deliveries/:delivery_id`, {
      rule: 'manage_webhooks',
      summary: 'Sends an event to a webhook once more',
      answers: { 200: deliveryAnswer },
      refusals: ['not_found'],
      async respond({ caller, id, parameters: { delivery_id = '' } }) {
        return deliveryView(await webhooks.sendAgain(caller, id('webhook_id'), delivery_id))
      },
    }),
  ]
}

const path = '/webhooks'

/** Not the secret. */
function viewOf(row: ProjectWebhook, { baseUrl }: RequestContext) {
  const { id, projectId, url, eventTypes, description } = row
  return {
    id,
    project_id: projectId,
    url,
    event_types: eventTypes,
    description,
    ...timesOf(row),
    links: { self: `${baseUrl}/webhooks/${id}` },
  }
}

function deliveryView({ id, type, atMillis, attempt, state, reason }: Attempt) {
  return {
    id,
    event_type: type,
    attempted_at: formatTimestamp(atMillis * 1000),
    attempts: attempt,
    status: state.toUpperCase(),
    reason: reason ?? null,
  }
}
