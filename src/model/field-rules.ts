import { ApiError, type FieldError } from '../errors.ts'

/** Refuses an object for all its failed rules at once, so that its sender need not try them out one by one.
 *  @throws ApiError invalid_object */
export function requireValid(
  resource: string,
  findings: readonly (FieldError | undefined)[],
): void {
  const fieldErrors = findings.filter(finding => finding !== undefined)
  if (fieldErrors.length === 0) return
  throw new ApiError('invalid_object', `Provided ${resource} is not valid`, { fieldErrors })
}

/** A field that may not be given at all here. */
export function notAllowed(field: string, reason: string): FieldError {
  return { path: [field], message: `'${field}' ${reason}`, validator: 'not' }
}

/** A field that must be given here. */
export function required(field: string): FieldError {
  return { path: [], message: `'${field}' is a required property`, validator: 'required' }
}

/** Checks a field that is set once: it may be sent again, but only unchanged. */
export function immutableError(
  field: string,
  values: { readonly sent: unknown; readonly stored: unknown },
): FieldError | undefined {
  if (values.sent === undefined || values.sent === values.stored) return undefined
  return { path: [field], message: `'${field}' cannot be changed`, validator: 'immutable' }
}
