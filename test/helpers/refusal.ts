import type { ErrorType } from '../../src/errors.ts'

/** What `t.rejects` and `t.throws` are to find: a refusal of this type. */
export function refusal(type: ErrorType): { readonly name: string; readonly type: ErrorType } {
  return { name: 'ApiError', type }
}
