import type { TsigKeys } from '../../service/pools/tsig-keys.ts'
import type { Route } from '../route.ts'
import { adminRoutes } from './admin-routes.ts'
import { adminRowAnswer, tsigKeyFields } from './answers.ts'
import {
  tsigKeyChangesFromBody,
  tsigKeyCreateSchema,
  tsigKeyDraftFromBody,
  tsigKeyPatchSchema,
} from './tsig-keys.schema.ts'

/** The secrets shared with other servers. */
export function tsigKeyRoutes(rows: TsigKeys): readonly Route[] {
  return adminRoutes({
    rows,
    plural: 'tsigkeys',
    idName: 'tsigkey_id',
    rule: 'manage_tsigkeys',
    called: 'a TSIG key',
    createSchema: tsigKeyCreateSchema,
    patchSchema: tsigKeyPatchSchema,
    draftFromBody: tsigKeyDraftFromBody,
    changesFromBody: tsigKeyChangesFromBody,
    answer: adminRowAnswer('TsigKey', tsigKeyFields),
    refusals: { missing: 'tsigkey_not_found', taken: ['duplicate_tsigkey', 'invalid_tsigkey'] },
    fieldsOf: ({ name, algorithm, secret, scope, resourceId }) => ({
      name,
      algorithm,
      secret,
      scope,
      resource_id: resourceId,
    }),
    sortValues: { name: row => row.name.toLowerCase() },
    filterValues: {
      name: row => [row.name],
      algorithm: row => [row.algorithm],
      scope: row => [row.scope],
    },
  })
}
