import { isDeepStrictEqual } from 'node:util'
import { type TObject, type TProperties, Type } from 'typebox'
import { immutableError, requireValid } from '../../model/field-rules.ts'
import { partly, requestBody } from '../openapi/fields.ts'

// Clients read an object, change a field and send the whole object back. They may send fields that they cannot change, but
// only with the values that they were shown.

const anyValue = Type.Optional(Type.Unknown())

/** The body of a change: any of the fields that can be changed, and of those that are shown besides.
 *  @param shown the answer schema of the resource */
export function changeBody<P extends TProperties>(
  title: string,
  {
    fields,
    shown,
    example,
  }: { readonly fields: P; readonly shown: TObject; readonly example: object },
) {
  const readOnly = Object.keys(shown.properties).filter(name => !Object.hasOwn(fields, name))
  const unchanged = Object.fromEntries(readOnly.map(name => [name, anyValue])) as object
  return { readOnly, schema: requestBody(title, { ...partly(fields), ...unchanged }, example) }
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
