import type { FieldError } from '../errors.ts'
import type { Changes } from './changes.ts'
import { formatError } from './field-rules.ts'
import { hostNameProblem } from './host-name.ts'
import type { Stamped } from './stamped.ts'

/** A name below which zones are allowed. If any TLD is defined, zones are allowed only below these. */
export type Tld = Stamped & {
  /** Without a final dot, case as given: `com`, `co.uk`. */
  readonly name: string
  readonly description: string | null
}

/** The fields of a new TLD. */
export type TldDraft = Pick<Tld, 'name' | 'description'>

/** Checks the fields of a new or changed TLD. */
export function tldErrors({ name }: Changes<TldDraft>): (FieldError | undefined)[] {
  if (name === undefined) return []
  return [formatError('name', name, { format: 'tldname', problem: nameProblem(name) })]
}

function nameProblem(name: string): string | undefined {
  if (name.endsWith('.')) return 'it must not end with a dot'
  return hostNameProblem(`${name}.`)
}
