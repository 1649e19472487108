import { type Static, Type } from 'typebox'
import { ApiError } from '../../errors.ts'
import type { ProjectDraft } from '../../identity/directory/projects.ts'
import type { Changes } from '../../model/changes.ts'
import { defaultDomainId } from '../../model/identity.ts'
import { changeableFields, idField, idOrNullField, nameField } from './field-schemas.ts'

/** Body of `POST /v3/projects`. */
export const projectCreateSchema = Type.Object(
  {
    project: Type.Object(
      {
        name: nameField,
        domain_id: Type.Optional(idField),
        parent_id: Type.Optional(idOrNullField),
        is_domain: Type.Optional(Type.Literal(false)),
        ...changeableFields,
      },
      { additionalProperties: false },
    ),
  },
  { title: 'project', examples: [{ project: { name: 'web' } }] },
)

/** Body of `PATCH /v3/projects/<id>`. */
export const projectPatchSchema = Type.Object(
  {
    project: Type.Object(
      { name: Type.Optional(nameField), ...changeableFields },
      { additionalProperties: false },
    ),
  },
  { title: 'project', examples: [{ project: { description: 'Pages' } }] },
)

/** @throws ApiError bad_request: another parent than the domain */
export function projectDraftFromBody({
  project,
}: Static<typeof projectCreateSchema>): ProjectDraft {
  const { name, domain_id, parent_id, description, enabled } = project
  const domainId = domain_id ?? parent_id ?? defaultDomainId
  if ((parent_id ?? domainId) !== domainId)
    throw new ApiError('bad_request', 'A project has no other parent than its domain')
  return { domainId, name, description: description ?? '', isEnabled: enabled ?? true }
}

export function projectChangesFromBody({
  project,
}: Static<typeof projectPatchSchema>): Changes<Omit<ProjectDraft, 'domainId'>> {
  const { name, description, enabled } = project
  return { name, description: description === null ? '' : description, isEnabled: enabled }
}
