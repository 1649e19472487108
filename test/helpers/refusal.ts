import type { ErrorType } from '../../src/errors.ts'

/** The error expected by `t.rejects` and `t.throws`: a refusal of this type. */
export function refusal(type: ErrorType): { readonly name: string; readonly type: ErrorType } {
  return { name: 'ApiError', type }
}
