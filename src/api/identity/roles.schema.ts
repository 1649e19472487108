import { type Static, Type } from 'typebox'
import type { RoleDraft } from '../../identity/directory/roles.ts'
import type { Changes } from '../../model/changes.ts'
import { descriptionField, longNameField, optionsField } from './field-schemas.ts'

const changeable = {
  description: Type.Optional(descriptionField),
  options: Type.Optional(optionsField),
  // A role is the same in all domains.
  domain_id: Type.Optional(Type.Null()),
}

/** Body of `POST /v3/roles`. */
export const roleCreateSchema = Type.Object(
  { role: Type.Object({ name: longNameField, ...changeable }, { additionalProperties: false }) },
  { title: 'role', examples: [{ role: { name: 'observer' } }] },
)

/** Body of `PATCH /v3/roles/<id>`. */
export const rolePatchSchema = Type.Object(
  {
    role: Type.Object(
      { name: Type.Optional(longNameField), ...changeable },
      { additionalProperties: false },
    ),
  },
  { title: 'role', examples: [{ role: { description: 'Sees' } }] },
)

export function roleDraftFromBody({ role }: Static<typeof roleCreateSchema>): RoleDraft {
  return { name: role.name, description: role.description ?? '' }
}

export function roleChangesFromBody({ role }: Static<typeof rolePatchSchema>): Changes<RoleDraft> {
  return { name: role.name, description: role.description === null ? '' : role.description }
}
