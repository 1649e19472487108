import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import addFormats, { type FormatName } from 'ajv-formats'
import type { TSchema } from 'typebox'
import type { FieldError } from './errors.ts'

/** Returns the errors of a value; none if it conforms to the schema. Does not change the value. */
type Validate = (value: unknown) => readonly FieldError[]

/** At most this many errors are reported; further ones of a hopeless body are not worth the octets. */
const maxFieldErrors = 50
const maxQuotedCharacters = 100

/** Only simple patterns that match in linear time; a schema with another format is refused when it is compiled. */
const formats: FormatName[] = ['date', 'date-time', 'ipv4', 'ipv6', 'uri']

// All errors, because the API lists them; the size of a body bounds the cost of that. The list of types of a field that
// may be null includes null. TypeBox writes no schema that the draft does not allow, and ajv's strict mode
// refuses what is unknown, so the draft's own schema (200 ms to compile) is left out.
const ajv = new Ajv({
  allErrors: true,
  verbose: true,
  allowUnionTypes: true,
  meta: false,
  validateSchema: false,
})
addFormats.default(ajv, formats)
// In upper or lower case, with or without dashes, as in paths.
ajv.addFormat('uuid', /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i)

/** Returns the check of a schema (draft 7, as TypeBox writes it). It is compiled at its first use, since compiling all
 *  schemas would add half a second to each start; one takes milliseconds. The first use throws an Error where the schema
 *  contains something unknown. */
export function compile(schema: TSchema): Validate {
  let validate: ValidateFunction | undefined
  return value => {
    validate ??= ajv.compile(schema)
    if (validate(value)) return []
    const errors = validate.errors ?? []
    return errors.filter(isOwnFinding).slice(0, maxFieldErrors).map(fieldErrorOf)
  }
}

/** The branches of an anyOf each report; the anyOf itself says enough. */
function isOwnFinding({ schemaPath }: ErrorObject): boolean {
  return !/\/(?:anyOf|oneOf)\/\d+\//.test(schemaPath)
}

function fieldErrorOf(error: ErrorObject): FieldError {
  const path = pathOf(error.instancePath)
  const isUnknownKey = error.keyword === 'additionalProperties'
  return {
    path: isUnknownKey ? [...path, String(error.params.additionalProperty)] : path,
    message: (messages[error.keyword] ?? messageByDefault)(error),
    validator: error.keyword,
    validator_value: error.schema,
  }
}

/** The steps of a JSON pointer (RFC 6901); list positions as numbers. */
function pathOf(pointer: string): readonly (string | number)[] {
  const steps = pointer.split('/').slice(1)
  return steps.map(step =>
    /^\d+$/.test(step) ? Number(step) : step.replaceAll('~1', '/').replaceAll('~0', '~'),
  )
}

type Message = (error: ErrorObject) => string

const isTooShort: Message = ({ data }) => `${quote(data)} is too short`
const isTooLong: Message = ({ data }) => `${quote(data)} is too long`

/** Designate's wording, which is Python jsonschema's: clients show it, and some look for parts of it. */
const messages: Readonly<Record<string, Message>> = {
  required: ({ params }) => `${quote(params.missingProperty)} is a required property`,
  additionalProperties: ({ params }) =>
    `Additional properties are not allowed (${quote(params.additionalProperty)} was unexpected)`,
  type: ({ data, schema }) => `${quote(data)} is not of type ${list(schema)}`,
  enum: ({ data, schema }) => `${quote(data)} is not one of [${list(schema)}]`,
  const: ({ schema }) => `${quote(schema)} was expected`,
  format: ({ data, schema }) => `${quote(data)} is not a ${quote(schema)}`,
  pattern: ({ data, schema }) => `${quote(data)} does not match ${quote(schema)}`,
  minimum: ({ data, schema }) => `${quote(data)} is less than the minimum of ${schema}`,
  maximum: ({ data, schema }) => `${quote(data)} is greater than the maximum of ${schema}`,
  minLength: isTooShort,
  maxLength: isTooLong,
  minItems: isTooShort,
  maxItems: isTooLong,
  uniqueItems: ({ data }) => `${quote(data)} has non-unique elements`,
  anyOf: ({ data }) => `${quote(data)} is not valid under any of the given schemas`,
}

const messageByDefault: Message = ({ data, message }) => `${quote(data)} ${message}`

function list(values: unknown): string {
  return [values].flat().map(quote).join(', ')
}

function quote(value: unknown): string {
  const text = textOf(value)
  const isLong = text.length > maxQuotedCharacters
  const clipped = isLong ? `${text.slice(0, maxQuotedCharacters - 1)}…` : text
  // If the cut splits a surrogate pair, its first half is removed too.
  const whole = clipped.replace(/[\ud800-\udbff]…$/, '…')
  return typeof value === 'string' ? `'${whole}'` : whole
}

/** A value for a message: a string unchanged, anything else as JSON; long JSON is cut off, but not below the length that is
 *  shown. Not `String(value)`, which would call the `toString` member of a JSON object. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  let text = ''
  for (const piece of jsonPieces(value)) {
    text += piece
    if (text.length > maxQuotedCharacters) break
  }
  return text
}

/** JSON piece by piece, for callers that need only its beginning: a body may be nested deeper than `JSON.stringify` can go. */
function* jsonPieces(value: unknown): Generator<string, undefined> {
  if (typeof value !== 'object' || value === null) {
    // `JSON.stringify` would write a number that is too large for a float, such as 1e400, as null.
    yield typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? '')
    return
  }
  const isArray = Array.isArray(value)
  yield isArray ? '[' : '{'
  let separator = ''
  for (const [key, item] of isArray ? value.entries() : Object.entries(value)) {
    yield isArray ? separator : `${separator}${JSON.stringify(key)}:`
    yield* jsonPieces(item)
    separator = ','
  }
  yield isArray ? ']' : '}'
}
