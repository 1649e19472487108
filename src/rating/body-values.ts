import { ApiError } from '../errors.ts'
import type { Instant } from '../model/rating.ts'
import { inSlices } from '../time-slice.ts'
import { type Attributes, canonicalAttributes } from './attributes.ts'
import { type Decimal, decimalFromNumber, parseDecimal, zero } from './decimal.ts'
import { exactJson, NumberText } from './exact-json.ts'
import { parseTimestamp } from './timestamp.ts'

// The values in bodies that add usage. A body is read in one pass that checks and converts together, because every
// leaf is a value to parse (an instant, an exact number), and the caller gets the first error in document order: each
// reader throws invalid_object with the path it was given.

export const maxAttributes = 64
/** Characters of a metric's name, a unit, an attribute's name, an attribute's value. */
export const maxNameLength = 255
export const maxValueLength = 4096

/** Parses a JSON body without losing a digit, in small steps.
 *  @throws ApiError invalid_json */
export async function parsedBody(text: string): Promise<unknown> {
  try {
    return await inSlices(exactJson(text))
  } catch (cause) {
    throw new ApiError('invalid_json', 'The body is not valid JSON', { cause })
  }
}

/** Where a value is in its body. */
export type Path = readonly (string | number)[]

type KeyRules = { readonly required?: readonly string[]; readonly optional?: readonly string[] }

/** Reads an object with these keys only: an unknown key is an error, so that the client learns of the mistake. */
export function objectAt(
  value: unknown,
  path: Path,
  rules: KeyRules,
): Readonly<Record<string, unknown>> {
  const object = recordAt(value, path)
  const { required = [], optional = [] } = rules
  for (const key of Object.keys(object)) {
    if (!required.includes(key) && !optional.includes(key)) {
      refuseValue([...path, key], 'extra keys not allowed')
    }
  }
  for (const key of required) {
    if (!Object.hasOwn(object, key)) refuseValue([...path, key], 'required key not provided')
  }
  return object
}

/** Reads an object with any keys. */
export function recordAt(value: unknown, path: Path): Readonly<Record<string, unknown>> {
  const isRecord =
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof NumberText)
  return isRecord
    ? (value as Readonly<Record<string, unknown>>)
    : refuseValue(path, 'expected an object')
}

/** Reads a list. */
export function listAt(value: unknown, path: Path): readonly unknown[] {
  return Array.isArray(value) ? value : refuseValue(path, 'expected a list')
}

/** Reads a timestamp. */
export function instantAt(value: unknown, path: Path): Instant {
  const instant = typeof value === 'string' ? parseTimestamp(value) : undefined
  return instant ?? refuseValue(path, 'expected an ISO 8601 timestamp')
}

/** Reads a number to its last digit, written as a number or as text. */
export function decimalAt(value: unknown, path: Path): Decimal {
  if (value === 0) return zero
  const parsed =
    typeof value === 'number'
      ? decimalFromNumber(value)
      : parseDecimal(
          value instanceof NumberText ? value.text : typeof value === 'string' ? value : '',
        )
  return 'refusal' in parsed ? refuseValue(path, parsed.refusal) : parsed
}

/** Reads a text that is no longer than a name. */
export function textAt(value: unknown, path: Path): string {
  if (typeof value !== 'string') return refuseValue(path, 'expected a string')
  requireText(value, path, maxNameLength)
  return value
}

/** Reads attributes by name, in canonical order. */
export function attributesAt(value: unknown, path: Path): Attributes {
  const entries = Object.entries(recordAt(value, path))
  if (entries.length > maxAttributes)
    refuseValue(path, `expected at most ${maxAttributes} attributes`)
  const texts = entries.map(([key, attribute]) => {
    const keyPath = [...path, key]
    requireText(key, keyPath, maxNameLength)
    return [key, attributeAt(attribute, keyPath)] as const
  })
  return canonicalAttributes(Object.fromEntries(texts))
}

/** Attributes are text; other scalars are taken as the text they were written as, and null as empty. */
function attributeAt(value: unknown, path: Path): string {
  if (value === null) return ''
  if (value instanceof NumberText) return value.text
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value !== 'string') return refuseValue(path, 'expected a string')
  requireText(value, path, maxValueLength)
  return value
}

/** Checks a text. A lone surrogate has no UTF-8 form: the text would be read back differently. */
export function requireText(text: string, path: Path, maxLength: number): void {
  if (text.length > maxLength) refuseValue(path, `expected at most ${maxLength} characters`)
  if (!text.isWellFormed()) refuseValue(path, 'expected well-formed Unicode')
}

/** Refuses a value with the reason and its path. */
export function refuseValue(path: Path, message: string): never {
  const pathText = path.map(key => (typeof key === 'number' ? key : `'${key}'`)).join(', ')
  throw new ApiError('invalid_object', `${message} (path: '[${pathText}]')`, {
    fieldErrors: [{ path, message, validator: 'dataframe' }],
  })
}
