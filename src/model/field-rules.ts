import { ApiError, type FieldError } from '../errors.ts'
import { quote } from './quote.ts'

/** Refuses an object for all its failed rules at once, so that the client need not find them one by one.
 *  @throws ApiError invalid_object */
export function requireValid(
  resource: string,
  findings: readonly (FieldError | undefined)[],
): void {
  const fieldErrors = findings.filter(finding => finding !== undefined)
  if (fieldErrors.length === 0) return
  throw new ApiError('invalid_object', `Provided ${resource} is not valid`, { fieldErrors })
}

/** Checks the form of a field's value.
 *  @param rule the name of the form, and what is wrong with the value; undefined: nothing */
export function formatError(
  field: string,
  value: string,
  { format, problem }: { readonly format: string; readonly problem: string | undefined },
): FieldError | undefined {
  if (problem === undefined) return undefined
  const message = `${quote(value)} is not a '${format}': ${problem}`
  return { path: [field], message, validator: 'format', validator_value: format }
}

/** The error for a field that must not be given here. */
export function notAllowed(field: string, reason: string): FieldError {
  return { path: [field], message: `'${field}' ${reason}`, validator: 'not' }
}

/** The error for a field that must be given here. */
export function required(field: string): FieldError {
  return { path: [], message: `'${field}' is a required property`, validator: 'required' }
}

/** Checks a field that is set once: a client may send it again only unchanged. */
export function immutableError(
  field: string,
  values: { readonly sent: unknown; readonly stored: unknown },
): FieldError | undefined {
  if (values.sent === undefined || values.sent === values.stored) return undefined
  return { path: [field], message: `'${field}' cannot be changed`, validator: 'immutable' }
}
