import type { FieldError } from '../errors.ts'
import type { Changes } from './changes.ts'
import { hostNameProblem } from './host-name.ts'
import { quote } from './quote.ts'
import type { Stamped } from './stamped.ts'

/** A name below which zones may be: where there are any, zones may be nowhere else. */
export type Tld = Stamped & {
  /** Without a final dot, case as given: `com`, `co.uk`. */
  readonly name: string
  readonly description: string | null
}

/** What is said of a new TLD. */
export type TldDraft = Pick<Tld, 'name' | 'description'>

/** Checks the fields of a new or changed TLD. */
export function tldErrors({ name }: Changes<TldDraft>): (FieldError | undefined)[] {
  const problem = name === undefined ? undefined : nameProblem(name)
  if (name === undefined || problem === undefined) return []
  return [
    {
      path: ['name'],
      message: `${quote(name)} is not a 'tldname': ${problem}`,
      validator: 'format',
      validator_value: 'tldname',
    },
  ]
}

function nameProblem(name: string): string | undefined {
  if (name.endsWith('.')) return 'it must not end with a dot'
  if (name.includes('_')) return "it holds '_'"
  return hostNameProblem(`${name}.`)
}
