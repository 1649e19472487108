import { Type } from 'typebox'
import { tsigAlgorithms, tsigScopes } from '../../model/tsig-key.ts'
import type { TsigKeys } from '../../service/pools/tsig-keys.ts'
import { oneOf, text, uuid } from '../openapi/fields.ts'
import { canonicalId } from '../parameters.ts'
import { type Route, route } from '../route.ts'
import { adminRoutes } from './admin-routes.ts'
import { adminRowAnswer, tsigKeyUsesAnswer } from './answers.ts'
import { uuidField } from './field-schemas.ts'

/** What is said of a key. */
export const tsigKeyFields = {
  name: Type.String({ minLength: 1, maxLength: 160 }),
  algorithm: Type.Enum([...tsigAlgorithms]),
  secret: Type.String({ minLength: 1, maxLength: 160, pattern: '^[\\x21-\\x7e]*$' }),
  scope: Type.Enum([...tsigScopes]),
  resource_id: uuidField,
}

const example = {
  name: 'secondaries',
  algorithm: 'hmac-sha256',
  secret: 'c2VjcmV0',
  scope: 'POOL',
  resource_id: 'a86dba58-0043-4cc6-a1bb-69d5e86f3ca3',
}

/** The secrets shared with other servers. */
export function tsigKeyRoutes(rows: TsigKeys): readonly Route[] {
  return adminRoutes({
    rows,
    plural: 'tsigkeys',
    idName: 'tsigkey_id',
    rule: 'manage_tsigkeys',
    called: 'a TSIG key',
    required: tsigKeyFields,
    optional: {},
    title: 'tsigkey',
    examples: { draft: example, changes: example },
    draftFromBody: ({ resource_id: resourceId, ...same }) => ({
      ...same,
      resourceId: canonicalId(resourceId),
    }),
    changesFromBody: ({ name, algorithm, secret, scope, resource_id: resourceId }) => ({
      name,
      algorithm,
      secret,
      scope,
      resourceId: resourceId && canonicalId(resourceId),
    }),
    answer: adminRowAnswer('TsigKey', {
      name: text('secondaries'),
      algorithm: text('hmac-sha256'),
      secret: text('c2VjcmV0'),
      scope: oneOf('POOL', 'ZONE'),
      resource_id: uuid,
    }),
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

/** What names a key, to be looked at before it is deleted or renamed. */
export function tsigKeyUsesRoute(keys: TsigKeys): Route {
  return route('GET /tsigkeys/:tsigkey_id/uses', {
    rule: 'manage_tsigkeys',
    summary: 'Lists the pools and zones that name a TSIG key',
    answers: { 200: tsigKeyUsesAnswer },
    refusals: ['tsigkey_not_found'],
    async respond({ id }) {
      const { named, count } = await keys.usesOf(id('tsigkey_id'))
      const uses = named.map(({ resource, row, places }) => {
        return { resource, id: row.id, name: row.name, places }
      })
      return { uses, metadata: { total_count: count } }
    },
  })
}
