import { Type } from 'typebox'
import type { Tlds } from '../../service/rules/tlds.ts'
import { text } from '../openapi/fields.ts'
import type { Route } from '../route.ts'
import { adminRoutes } from './admin-routes.ts'
import { adminRowAnswer, description } from './answers.ts'
import { descriptionField } from './field-schemas.ts'

/** The names below which zones may be. */
export function tldRoutes(rows: Tlds): readonly Route[] {
  return adminRoutes({
    rows,
    plural: 'tlds',
    idName: 'tld_id',
    rule: 'manage_tlds',
    called: 'a TLD',
    required: { name: Type.String({ minLength: 1, maxLength: 255 }) },
    optional: { description: descriptionField },
    title: 'tld',
    examples: { draft: { name: 'com' }, changes: { description: 'commercial' } },
    draftFromBody: ({ name, description = null }) => ({ name, description }),
    changesFromBody: ({ name, description }) => ({ name, description }),
    answer: adminRowAnswer('Tld', { name: text('com'), description }),
    refusals: { missing: 'tld_not_found', taken: ['duplicate_tld'] },
    fieldsOf: ({ name, description }) => ({ name, description }),
    sortValues: { name: row => row.name.toLowerCase() },
    filterValues: { name: row => [row.name] },
  })
}
