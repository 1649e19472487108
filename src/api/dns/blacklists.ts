import type { Blacklists } from '../../service/rules/blacklists.ts'
import type { Route } from '../route.ts'
import { adminRoutes } from './admin-routes.ts'
import { adminRowAnswer, blacklistFields } from './answers.ts'
import {
  blacklistChangesFromBody,
  blacklistCreateSchema,
  blacklistDraftFromBody,
  blacklistPatchSchema,
} from './blacklists.schema.ts'

/** Patterns of names that new zones may not have. */
export function blacklistRoutes(rows: Blacklists): readonly Route[] {
  return adminRoutes({
    rows,
    plural: 'blacklists',
    idName: 'blacklist_id',
    rule: 'manage_blacklists',
    called: 'a blacklist',
    createSchema: blacklistCreateSchema,
    patchSchema: blacklistPatchSchema,
    draftFromBody: blacklistDraftFromBody,
    changesFromBody: blacklistChangesFromBody,
    answer: adminRowAnswer('Blacklist', blacklistFields),
    refusals: { missing: 'blacklist_not_found', taken: ['duplicate_blacklist'] },
    fieldsOf: ({ pattern, description }) => ({ pattern, description }),
    attributes: {
      sortValues: {
        id: row => row.id,
        updated_at: row => row.updatedAt,
        pattern: row => row.pattern,
      },
      filterValues: { pattern: row => [row.pattern] },
    },
  })
}
