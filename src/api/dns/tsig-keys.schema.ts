import { type Static, Type } from 'typebox'
import type { Changes } from '../../model/changes.ts'
import { type TsigKeyDraft, tsigAlgorithms, tsigScopes } from '../../model/tsig-key.ts'
import { parseUuid } from '../parameters.ts'
import { uuidField } from './field-schemas.ts'
import { commonReadOnlyFields, readOnlyFields } from './read-only-fields.ts'

/** What is said of a key. */
export const tsigKeyFields = {
  name: Type.String({ minLength: 1, maxLength: 160 }),
  algorithm: Type.Enum([...tsigAlgorithms]),
  secret: Type.String({ minLength: 1, maxLength: 160, pattern: '^[\\x21-\\x7e]*$' }),
  scope: Type.Enum([...tsigScopes]),
  resource_id: uuidField,
}

const options = {
  title: 'tsigkey',
  examples: [
    {
      name: 'secondaries',
      algorithm: 'hmac-sha256',
      secret: 'c2VjcmV0',
      scope: 'POOL',
      resource_id: 'a86dba58-0043-4cc6-a1bb-69d5e86f3ca3',
    },
  ],
  additionalProperties: false,
} as const

/** Body of `POST /tsigkeys`. */
export const tsigKeyCreateSchema = Type.Object(tsigKeyFields, options)

/** Body of `PATCH /tsigkeys/<id>`. */
export const tsigKeyPatchSchema = Type.Partial(
  Type.Object({ ...tsigKeyFields, ...readOnlyFields(commonReadOnlyFields) }),
  options,
)

export function tsigKeyDraftFromBody({
  resource_id: resourceId,
  ...same
}: Static<typeof tsigKeyCreateSchema>): TsigKeyDraft {
  return { ...same, resourceId: parseUuid(resourceId) ?? resourceId }
}

export function tsigKeyChangesFromBody({
  name,
  algorithm,
  secret,
  scope,
  resource_id: resourceId,
}: Static<typeof tsigKeyPatchSchema>): Changes<TsigKeyDraft> {
  return { name, algorithm, secret, scope, resourceId: resourceId && parseUuid(resourceId) }
}
