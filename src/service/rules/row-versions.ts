import { ApiError } from '../../errors.ts'
import type { RowVersion } from '../../model/stamped.ts'

/** Holds a row against the versions that its change was asked for; any when not given.
 *  @throws ApiError precondition_failed */
export function requireVersion(
  { id, version }: RowVersion,
  expected: readonly RowVersion[] | undefined,
): void {
  if (expected?.some(each => each.id === id && each.version === version) ?? true) return
  throw new ApiError('precondition_failed', `It has version ${version}, and another is expected`)
}
