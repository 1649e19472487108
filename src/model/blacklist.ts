import type { FieldError } from '../errors.ts'
import { compilePattern } from './blacklist-pattern.ts'
import type { Changes } from './changes.ts'
import { formatError } from './field-rules.ts'
import type { Stamped } from './stamped.ts'

/** A pattern of names that zones may not have. */
export type Blacklist = Stamped & {
  /** A regular expression in Python's syntax, as operators of Designate write it. */
  readonly pattern: string
  readonly description: string | null
}

/** The fields of a new blacklist. */
export type BlacklistDraft = Pick<Blacklist, 'pattern' | 'description'>

/** The reason of a refusal of a blacklisted zone name. */
export const blacklistedZoneMessage = 'Blacklisted zone name'

/** Checks the fields of a new or changed blacklist. */
export function blacklistErrors({ pattern }: Changes<BlacklistDraft>): (FieldError | undefined)[] {
  if (pattern === undefined) return []
  const { problem } = compilePattern(pattern)
  return [formatError('pattern', pattern, { format: 'regex', problem })]
}
