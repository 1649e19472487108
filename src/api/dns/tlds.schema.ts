import { type Static, Type } from 'typebox'
import type { Changes } from '../../model/changes.ts'
import type { TldDraft } from '../../model/tld.ts'
import { descriptionField } from './field-schemas.ts'
import { commonReadOnlyFields, readOnlyFields } from './read-only-fields.ts'

const nameField = Type.String({ minLength: 1, maxLength: 255 })

/** Body of `POST /tlds`. */
export const tldCreateSchema = Type.Object(
  { name: nameField, description: Type.Optional(descriptionField) },
  { title: 'tld', examples: [{ name: 'com' }], additionalProperties: false },
)

/** Body of `PATCH /tlds/<id>`. */
export const tldPatchSchema = Type.Object(
  {
    name: Type.Optional(nameField),
    description: Type.Optional(descriptionField),
    ...readOnlyFields(commonReadOnlyFields),
  },
  { title: 'tld', examples: [{ description: 'commercial' }], additionalProperties: false },
)

export function tldDraftFromBody({
  name,
  description = null,
}: Static<typeof tldCreateSchema>): TldDraft {
  return { name, description }
}

export function tldChangesFromBody({
  name,
  description,
}: Static<typeof tldPatchSchema>): Changes<TldDraft> {
  return { name, description }
}
