import { ApiError } from '../errors.ts'

/** A path parameter that must be a UUID, in the canonical form: lower case, with dashes. Clients may send it
 *  in any case and without dashes.
 *  @throws ApiError invalid_uuid */
export function uuidParameter(parameters: Readonly<Record<string, string>>, name: string): string {
  const text = parameters[name] ?? ''
  const uuid = parseUuid(text)
  if (uuid === undefined) throw new ApiError('invalid_uuid', `Invalid UUID ${name}: ${text}`)
  return uuid
}

const canonicalUuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The canonical form of a UUID written in any case, dashed or not; undefined when it is none. */
export function parseUuid(text: string): string | undefined {
  if (canonicalUuid.test(text)) return text
  const digits = text.replaceAll('-', '').toLowerCase()
  if (text.length > 36 || !/^[0-9a-f]{32}$/.test(digits)) return undefined
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** The same of an id in a body, where its schema has refused what is none; a name that the schema also allows stays. */
export function canonicalId(text: string): string {
  return parseUuid(text) ?? text
}
