import { isDeepStrictEqual } from 'node:util'
import { type TSchema, Type } from 'typebox'
import { immutableError, requireValid } from '../../model/field-rules.ts'

// Clients read an object, change a field and send the whole object back. They may send fields that they cannot change, but
// only with the values that they were shown.

const anyValue = Type.Optional(Type.Unknown())

/** Read-only fields of nearly every resource. */
export const commonReadOnlyFields = ['id', 'created_at', 'updated_at', 'links'] as const

/** The schema's part for such fields. */
export function readOnlyFields<const N extends string>(
  names: readonly N[],
): Record<N, typeof anyValue> {
  const fields = Object.fromEntries(names.map(name => [name, anyValue]))
  return fields as Record<N, typeof anyValue> & Record<string, TSchema>
}

/** @throws ApiError invalid_object: a field has another value than the one shown */
export function requireAsShown(
  resource: string,
  names: readonly string[],
  { body, shown }: { readonly body: object; readonly shown: object },
): void {
  const sentFields = new Map<string, unknown>(Object.entries(body))
  const shownFields = new Map<string, unknown>(Object.entries(shown))
  const errors = names.map(name => {
    const [sent, stored] = [sentFields.get(name), shownFields.get(name)]
    if (isDeepStrictEqual(sent, stored)) return undefined
    return immutableError(name, { sent, stored })
  })
  requireValid(resource, errors)
}
