import { maxLabelOctets } from '../dns/name.ts'
import type { FieldError } from '../errors.ts'
import { formatError } from './field-rules.ts'
import { maxNameLength } from './limits.ts'

/** Returns what is wrong with an absolute name of plain labels, or nothing. Plain: letters, digits, `_` and `-`,
 *  no `-` at either end. There are no escapes, so a dot always separates labels and texts compare like names;
 *  internationalized names come as A-labels. */
export function hostNameProblem(name: string): string | undefined {
  if (!name.endsWith('.')) return 'it must end with a dot'
  if (name.length > maxNameLength) {
    return `it has ${name.length} characters, at most ${maxNameLength} are allowed`
  }
  return name.slice(0, -1).split('.').map(labelProblem).find(isProblem)
}

/** Checks a field that holds such a name. */
export function hostNameError(field: string, name: string): FieldError | undefined {
  return formatError(field, name, { format: 'hostname', problem: hostNameProblem(name) })
}

function labelProblem(label: string): string | undefined {
  if (label === '') return 'a label is empty'
  if (label.length > maxLabelOctets) {
    return `a label has ${label.length} characters, at most ${maxLabelOctets} are allowed`
  }
  if (label.startsWith('-') || label.endsWith('-'))
    return `label '${label}' has a hyphen at its end`
  const [strange] = /[^A-Za-z0-9_-]/u.exec(label) ?? []
  if (strange === undefined) return undefined
  const advice = strange > '\x7f' ? ': names of other scripts are written in ASCII, as xn--…' : ''
  return `label '${label}' holds '${strange}'${advice}`
}

function isProblem(problem: string | undefined): problem is string {
  return problem !== undefined
}
