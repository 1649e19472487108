import { type Static, Type } from 'typebox'
import type { DomainDraft } from '../../identity/directory/domains.ts'
import type { Changes } from '../../model/changes.ts'
import { changeableFields, nameField } from './field-schemas.ts'

/** Body of `POST /v3/domains`. */
export const domainCreateSchema = Type.Object(
  {
    domain: Type.Object({ name: nameField, ...changeableFields }, { additionalProperties: false }),
  },
  { title: 'domain', examples: [{ domain: { name: 'labs', description: 'The lab' } }] },
)

/** Body of `PATCH /v3/domains/<id>`. */
export const domainPatchSchema = Type.Object(
  {
    domain: Type.Object(
      { name: Type.Optional(nameField), ...changeableFields },
      { additionalProperties: false },
    ),
  },
  { title: 'domain', examples: [{ domain: { enabled: false } }] },
)

export function domainDraftFromBody({ domain }: Static<typeof domainCreateSchema>): DomainDraft {
  const { name, description, enabled } = domain
  return { name, description: description ?? '', isEnabled: enabled ?? true }
}

export function domainChangesFromBody({
  domain,
}: Static<typeof domainPatchSchema>): Changes<DomainDraft> {
  const { name, description, enabled } = domain
  return { name, description: description === null ? '' : description, isEnabled: enabled }
}
