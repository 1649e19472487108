import { ApiError } from '../errors.ts'

const maxNameLength = 255

/** Checks the name of a service, field, group, script or collector. A name is a key of indexes, in which a newline would
 *  be a separator.
 *  @throws ApiError bad_request */
export function requireName(name: string): void {
  if (name === '') refuse('a name that is not empty')
  if (name.length > maxNameLength) refuse(`a name of at most ${maxNameLength} characters`)
  if (/\p{Cc}/u.test(name) || !name.isWellFormed()) refuse('a name without control characters')
}

function refuse(expected: string): never {
  throw new ApiError('bad_request', `Invalid input for field/attribute name. Expected ${expected}.`)
}
