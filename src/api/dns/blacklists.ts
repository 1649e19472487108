import { Type } from 'typebox'
import type { Blacklists } from '../../service/rules/blacklists.ts'
import { text } from '../openapi/fields.ts'
import type { Route } from '../route.ts'
import { adminRoutes } from './admin-routes.ts'
import { adminRowAnswer, description } from './answers.ts'
import { descriptionField } from './field-schemas.ts'

/** Patterns of names that new zones may not have. */
export function blacklistRoutes(rows: Blacklists): readonly Route[] {
  return adminRoutes({
    rows,
    plural: 'blacklists',
    idName: 'blacklist_id',
    rule: 'manage_blacklists',
    called: 'a blacklist',
    required: { pattern: Type.String({ minLength: 1, maxLength: 255 }) },
    optional: { description: descriptionField },
    title: 'blacklist',
    examples: { draft: { pattern: '^ads\\.' }, changes: { description: 'advertisers' } },
    draftFromBody: ({ pattern, description = null }) => ({ pattern, description }),
    changesFromBody: ({ pattern, description }) => ({ pattern, description }),
    answer: adminRowAnswer('Blacklist', { pattern: text('^ads\\.'), description }),
    refusals: { missing: 'blacklist_not_found', taken: ['duplicate_blacklist'] },
    fieldsOf: ({ pattern, description }) => ({ pattern, description }),
    sortValues: { pattern: row => row.pattern },
    filterValues: { pattern: row => [row.pattern] },
  })
}
