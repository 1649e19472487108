import { ApiError } from '../../errors.ts'
import type { RowVersion } from '../../model/stamped.ts'

/** Requires that a row has one of the expected versions; any when not given.
 *  @throws ApiError precondition_failed */
export function requireVersion(
  { id, version }: RowVersion,
  expected: readonly RowVersion[] | undefined,
): void {
  if (expected?.some(each => each.id === id && each.version === version) ?? true) return
  throw new ApiError('precondition_failed', `It has version ${version}, and another is expected`)
}
