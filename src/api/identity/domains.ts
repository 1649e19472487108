import type { Domains } from '../../identity/directory/domains.ts'
import { principalRouteWithBody, type Route } from '../route.ts'
import { collectionView } from './collection.view.ts'
import {
  domainChangesFromBody,
  domainCreateSchema,
  domainDraftFromBody,
  domainPatchSchema,
} from './domains.schema.ts'
import { domainView } from './domains.view.ts'
import { filtersOf, flagOf } from './filters.ts'

/** Domains. */
export function domainRoutes(domains: Domains): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/v3/domains',
      access: 'principal',
      rule: 'manage_identity',
      summary: 'Lists domains',
      async handler(context) {
        const { name, enabled } = filtersOf(context.query, ['name', 'enabled'])
        const rows = domains.list({ name, isEnabled: flagOf(enabled) })
        const views = rows.map(row => domainView(row, context))
        return { status: 200, body: collectionView(context, 'domains', views) }
      },
    },
    principalRouteWithBody({
      method: 'POST',
      path: '/v3/domains',
      access: 'principal',
      rule: 'manage_identity',
      summary: 'Creates a domain',
      bodySchema: domainCreateSchema,
      async handler(context) {
        const domain = await domains.create(domainDraftFromBody(context.body))
        return { status: 201, body: { domain: domainView(domain, context) } }
      },
    }),
    {
      method: 'GET',
      path: '/v3/domains/:domain_id',
      access: 'principal',
      summary: 'Shows a domain',
      async handler(context) {
        const domain = domains.get(context.principal, context.parameters.domain_id ?? '')
        return { status: 200, body: { domain: domainView(domain, context) } }
      },
    },
    principalRouteWithBody({
      method: 'PATCH',
      path: '/v3/domains/:domain_id',
      access: 'principal',
      rule: 'manage_identity',
      summary: 'Changes a domain; a disabled one is closed to all in it',
      bodySchema: domainPatchSchema,
      async handler(context) {
        const id = context.parameters.domain_id ?? ''
        const domain = await domains.update(id, domainChangesFromBody(context.body))
        return { status: 200, body: { domain: domainView(domain, context) } }
      },
    }),
    {
      method: 'DELETE',
      path: '/v3/domains/:domain_id',
      access: 'principal',
      rule: 'manage_identity',
      summary: 'Deletes a disabled domain with all that is in it',
      async handler({ parameters }) {
        await domains.delete(parameters.domain_id ?? '')
        return { status: 204 }
      },
    },
  ]
}
