import type { Domains } from '../../identity/directory/domains.ts'
import type { Route } from '../route.ts'
import { domain } from './answers.ts'
import {
  domainChangesFromBody,
  domainCreateSchema,
  domainDraftFromBody,
  domainPatchSchema,
} from './domains.schema.ts'
import { domainView } from './domains.view.ts'
import { filtersOf, flagOf } from './filters.ts'
import { resourceRoutes } from './resource-routes.ts'

/** Domains. */
export function domainRoutes(domains: Domains): readonly Route[] {
  return resourceRoutes({
    one: 'domain',
    many: 'domains',
    view: domainView,
    answer: domain,
    list: {
      summary: 'Lists domains',
      query: domainFilters,
      rows({ query }) {
        const { name, enabled } = filtersOf(query, domainFilters)
        return domains.list({ name, isEnabled: flagOf(enabled) })
      },
    },
    create: {
      summary: 'Creates a domain',
      bodySchema: domainCreateSchema,
      row: ({ body }) => domains.create(domainDraftFromBody(body)),
    },
    show: { summary: 'Shows a domain', row: ({ principal }, id) => domains.get(principal, id) },
    update: {
      summary: 'Changes a domain; a disabled one is closed to all in it',
      bodySchema: domainPatchSchema,
      row: ({ body }, id) => domains.update(id, domainChangesFromBody(body)),
    },
    remove: {
      summary: 'Deletes a disabled domain with all that is in it',
      refusals: ['forbidden', 'conflict'],
      run: id => domains.delete(id),
    },
  })
}

const domainFilters = ['name', 'enabled'] as const
