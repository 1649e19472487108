import { Type } from 'typebox'
import { closed } from '../openapi/fields.ts'

// Fields that several bodies have. Null means the same as leaving a field out.

/** Characters. */
const maxDescriptionLength = 1024

// Neither blanks around it nor control characters in it, as they are invisible. The pattern takes linear time.
const visible = '^[^\\x00-\\x20\\x7f](?:[^\\x00-\\x1f\\x7f]*[^\\x00-\\x20\\x7f])?$'

export const nameField = Type.String({ maxLength: 64, pattern: visible })

/** Names of users, roles and application credentials. */
export const longNameField = Type.String({ maxLength: 255, pattern: visible })

export const descriptionField = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  maxLength: maxDescriptionLength,
})

export const idField = Type.String({ minLength: 1, maxLength: 64 })

export const idOrNullField = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  minLength: 1,
  maxLength: 64,
})

export const enabledField = Type.Boolean()

/** Clients send them empty, or with the one option that states the default. */
export const optionsField = closed({ immutable: Type.Optional(Type.Literal(false)) })

/** Clients send them empty. */
const tagsField = Type.Array(Type.String(), { maxItems: 0 })

/** What domains and projects have besides their names. */
export const changeableFields = {
  description: Type.Optional(descriptionField),
  enabled: Type.Optional(enabledField),
  options: Type.Optional(optionsField),
  tags: Type.Optional(tagsField),
}

/** Changes of a domain or project. */
export function changesOf(given: {
  readonly name?: string
  readonly description?: string | null
  readonly enabled?: boolean
}) {
  const { name, description, enabled } = given
  return { name, description: description === null ? '' : description, isEnabled: enabled }
}

export const passwordField = Type.String({ minLength: 1, maxLength: 1024 })

/** Clients send null where there is none. */
export const passwordOrNullField = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  minLength: 1,
  maxLength: 1024,
})
