import { Type } from 'typebox'
import type { Blacklists } from '../../service/rules/blacklists.ts'
import { closed } from '../openapi/fields.ts'
import type { Route } from '../route.ts'
import { adminRoutes } from './admin-routes.ts'
import { adminRowAnswer, blacklistFields } from './answers.ts'
import { descriptionField } from './field-schemas.ts'
import { commonReadOnlyFields, readOnlyFields } from './read-only-fields.ts'

const patternField = Type.String({ minLength: 1, maxLength: 255 })

/** Body of `POST /blacklists`. */
const createSchema = closed(
  { pattern: patternField, description: Type.Optional(descriptionField) },
  { title: 'blacklist', examples: [{ pattern: '^ads\\.' }] },
)

/** Body of `PATCH /blacklists/<id>`. */
const patchSchema = closed(
  {
    pattern: Type.Optional(patternField),
    description: Type.Optional(descriptionField),
    ...readOnlyFields(commonReadOnlyFields),
  },
  { title: 'blacklist', examples: [{ description: 'advertisers' }] },
)

/** Patterns of names that new zones may not have. */
export function blacklistRoutes(rows: Blacklists): readonly Route[] {
  return adminRoutes({
    rows,
    plural: 'blacklists',
    idName: 'blacklist_id',
    rule: 'manage_blacklists',
    called: 'a blacklist',
    createSchema,
    patchSchema,
    draftFromBody: ({ pattern, description = null }) => ({ pattern, description }),
    changesFromBody: ({ pattern, description }) => ({ pattern, description }),
    answer: adminRowAnswer('Blacklist', blacklistFields),
    refusals: { missing: 'blacklist_not_found', taken: ['duplicate_blacklist'] },
    fieldsOf: ({ pattern, description }) => ({ pattern, description }),
    sortValues: { pattern: row => row.pattern },
    filterValues: { pattern: row => [row.pattern] },
  })
}
