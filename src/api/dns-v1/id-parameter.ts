import { ApiError } from '../../errors.ts'
import { parseUuid } from '../parameters.ts'
import type { PublicContext } from '../route.ts'

/** An id in the path, in the canonical form: lower case, with dashes. In this group a path whose id is not a UUID with dashes,
 *  in any case, does not exist.
 *  @throws ApiError not_found */
export function idParameter(context: Pick<PublicContext, 'parameters'>, name: string): string {
  const text = context.parameters[name] ?? ''
  const id = parseUuid(text)
  if (id === text.toLowerCase()) return id
  throw new ApiError('not_found', 'resource not found')
}
