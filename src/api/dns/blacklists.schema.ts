import { type Static, Type } from 'typebox'
import type { BlacklistDraft } from '../../model/blacklist.ts'
import type { Changes } from '../../model/changes.ts'
import { descriptionField } from './field-schemas.ts'
import { commonReadOnlyFields, readOnlyFields } from './read-only-fields.ts'

const patternField = Type.String({ minLength: 1, maxLength: 255 })

/** Body of `POST /blacklists`. */
export const blacklistCreateSchema = Type.Object(
  { pattern: patternField, description: Type.Optional(descriptionField) },
  { title: 'blacklist', examples: [{ pattern: '^ads\\.' }], additionalProperties: false },
)

/** Body of `PATCH /blacklists/<id>`. */
export const blacklistPatchSchema = Type.Object(
  {
    pattern: Type.Optional(patternField),
    description: Type.Optional(descriptionField),
    ...readOnlyFields(commonReadOnlyFields),
  },
  { title: 'blacklist', examples: [{ description: 'advertisers' }], additionalProperties: false },
)

export function blacklistDraftFromBody({
  pattern,
  description = null,
}: Static<typeof blacklistCreateSchema>): BlacklistDraft {
  return { pattern, description }
}

export function blacklistChangesFromBody({
  pattern,
  description,
}: Static<typeof blacklistPatchSchema>): Changes<BlacklistDraft> {
  return { pattern, description }
}
