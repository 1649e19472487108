import { Type } from 'typebox'
import type { Instant } from '../../model/rating.ts'
import { textOf } from '../../validator.ts'
import { instantFrom, refuseAt, splitList } from './parameters.ts'

// Bodies as CloudKitty's second API reads them: closed objects; the first error is reported with its place. Readers return
// undefined for values not given.

export type Body = Readonly<Record<string, unknown>>

/** A schema that takes any object, since the keys have error messages of their own. */
export function anyBody(title: string, example: Body) {
  return Type.Record(Type.String(), Type.Unknown(), { title, examples: [example] })
}

/** @throws ApiError bad_request a key that means nothing here */
export function requireKeys(body: Body, names: readonly string[]): void {
  for (const key of Object.keys(body))
    if (!names.includes(key)) refuseAt([key], 'extra keys not allowed')
}

/** @throws ApiError bad_request it is no text */
export function textIn(body: Body, key: string): string | undefined {
  const value = body[key]
  if (value === undefined || value === null) return undefined
  return typeof value === 'string' ? value : refuseAt([key], 'expected str')
}

/** @throws ApiError bad_request it is missing, empty or no text */
export function requiredTextIn(body: Body, key: string): string {
  return textIn(body, key) || refuseAt([key], 'required key not provided')
}

/** Names in a list, or in a text with commas between them; none where nothing is given.
 *  @throws ApiError bad_request */
export function namesIn(body: Body, key: string): readonly string[] {
  const value = body[key] ?? []
  const parts: readonly unknown[] = Array.isArray(value) ? value : [value]
  return parts.flatMap(part =>
    typeof part === 'string' ? splitList(part) : refuseAt([key], 'expected str'),
  )
}

/** @throws ApiError bad_request it is no timestamp */
export function instantIn(body: Body, key: string): Instant | undefined {
  const value = body[key]
  return value === undefined || value === null || value === '' ? undefined : instantFrom(value, key)
}

const yesWords = ['1', 'true', 'yes', 'on', 'enable']
const noWords = ['0', 'false', 'no', 'off', 'disable']

/** @throws ApiError bad_request it is neither yes nor no */
export function flagIn(body: Body, key: string): boolean | undefined {
  if (body[key] === undefined || body[key] === null) return undefined
  const word = textOf(body[key]).toLowerCase()
  if (yesWords.includes(word)) return true
  return noWords.includes(word) ? false : refuseAt([key], 'expected boolean')
}

/** @throws ApiError bad_request it is no whole number from 1 on */
export function countIn(body: Body, key: string): number | undefined {
  const value = body[key]
  if (value === undefined || value === null) return undefined
  if (!Number.isSafeInteger(value)) refuseAt([key], 'expected int')
  return Number(value) < 1 ? refuseAt([key], 'value must be at least 1') : Number(value)
}
