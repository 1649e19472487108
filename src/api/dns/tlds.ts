import type { Tlds } from '../../service/rules/tlds.ts'
import type { Route } from '../route.ts'
import { adminRoutes } from './admin-routes.ts'
import { adminRowAnswer, tldFields } from './answers.ts'
import {
  tldChangesFromBody,
  tldCreateSchema,
  tldDraftFromBody,
  tldPatchSchema,
} from './tlds.schema.ts'

/** The names below which zones may be. */
export function tldRoutes(rows: Tlds): readonly Route[] {
  return adminRoutes({
    rows,
    plural: 'tlds',
    idName: 'tld_id',
    rule: 'manage_tlds',
    called: 'a TLD',
    createSchema: tldCreateSchema,
    patchSchema: tldPatchSchema,
    draftFromBody: tldDraftFromBody,
    changesFromBody: tldChangesFromBody,
    answer: adminRowAnswer('Tld', tldFields),
    refusals: { missing: 'tld_not_found', taken: ['duplicate_tld'] },
    fieldsOf: ({ name, description }) => ({ name, description }),
    attributes: {
      sortValues: {
        id: row => row.id,
        updated_at: row => row.updatedAt,
        name: row => row.name.toLowerCase(),
      },
      filterValues: { name: row => [row.name] },
    },
  })
}
