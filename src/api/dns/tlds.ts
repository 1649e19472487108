import { Type } from 'typebox'
import type { Tlds } from '../../service/rules/tlds.ts'
import { closed } from '../openapi/fields.ts'
import type { Route } from '../route.ts'
import { adminRoutes } from './admin-routes.ts'
import { adminRowAnswer, tldFields } from './answers.ts'
import { descriptionField } from './field-schemas.ts'
import { commonReadOnlyFields, readOnlyFields } from './read-only-fields.ts'

const nameField = Type.String({ minLength: 1, maxLength: 255 })

/** Body of `POST /tlds`. */
const createSchema = closed(
  { name: nameField, description: Type.Optional(descriptionField) },
  { title: 'tld', examples: [{ name: 'com' }] },
)

/** Body of `PATCH /tlds/<id>`. */
const patchSchema = closed(
  {
    name: Type.Optional(nameField),
    description: Type.Optional(descriptionField),
    ...readOnlyFields(commonReadOnlyFields),
  },
  { title: 'tld', examples: [{ description: 'commercial' }] },
)

/** The names below which zones may be. */
export function tldRoutes(rows: Tlds): readonly Route[] {
  return adminRoutes({
    rows,
    plural: 'tlds',
    idName: 'tld_id',
    rule: 'manage_tlds',
    called: 'a TLD',
    createSchema,
    patchSchema,
    draftFromBody: ({ name, description = null }) => ({ name, description }),
    changesFromBody: ({ name, description }) => ({ name, description }),
    answer: adminRowAnswer('Tld', tldFields),
    refusals: { missing: 'tld_not_found', taken: ['duplicate_tld'] },
    fieldsOf: ({ name, description }) => ({ name, description }),
    sortValues: { name: row => row.name.toLowerCase() },
    filterValues: { name: row => [row.name] },
  })
}
