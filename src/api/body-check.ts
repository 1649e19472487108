import type { TSchema } from 'typebox'
import { ApiError, type FieldError, wordsOf } from '../errors.ts'
import { compile } from '../validator.ts'

/** Checks a body against its schema.
 *  @throws ApiError invalid_object, with each error and its place */
export type BodyCheck = (body: object) => void

/** Compiles the check of a schema, whose `title` names the resource in messages. */
export function compileBody(schema: TSchema): BodyCheck {
  const validate = compile(schema)
  const resource = 'title' in schema ? String(schema.title) : 'this resource'
  return body => {
    const fieldErrors = validate(body)
    if (fieldErrors.length > 0) throw refusalFor(fieldErrors, resource)
  }
}

/** Unknown keys come first and in one message, as in Designate; all other errors field by field. */
function refusalFor(fieldErrors: readonly FieldError[], resource: string): ApiError {
  const unknownKeys = fieldErrors.filter(isUnknownKey).map(({ path }) => `'${path[0]}'`)
  if (unknownKeys.length === 0) {
    const message = `Provided ${resource} is not valid: ${wordsOf(fieldErrors)}`
    return new ApiError('invalid_object', message, { fieldErrors })
  }
  const keys = unknownKeys.join(', ')
  const message = `Provided object does not match schema. Keys [${keys}] are not valid for ${resource}`
  return new ApiError('invalid_object', message)
}

function isUnknownKey({ path, validator }: FieldError): boolean {
  return validator === 'additionalProperties' && path.length === 1
}
