import type { FieldError } from '../errors.ts'
import { ApiError } from '../errors.ts'
import { formatError } from './field-rules.ts'
import { ownerNameProblem } from './owner-name.ts'
import { quote } from './quote.ts'

/** Checks the form of a zone's name; names of networks may have a slash (RFC 2317). */
export function zoneNameError(name: string): FieldError | undefined {
  return formatError('name', name, {
    format: 'domainname',
    problem: ownerNameProblem(name, 'host'),
  })
}

/** Refuses whole top-level domains.
 *  @throws ApiError invalid_zone_name the name has a single label */
export function requireSeveralLabels(name: string): void {
  if (enclosingNames(name).length > 0) return
  throw new ApiError('invalid_zone_name', `More than one label is required in ${quote(name)}`)
}

/** Lists the names above `name`, nearest first, without the root: for `a.b.example.` these are `b.example.` and
 *  `example.`. Takes the plain names of zones and recordsets, in which a dot always separates labels. */
export function enclosingNames(name: string): string[] {
  const names: string[] = []
  for (let dot = name.indexOf('.'); dot !== -1 && dot < name.length - 1; ) {
    names.push(name.slice(dot + 1))
    dot = name.indexOf('.', dot + 1)
  }
  return names
}

/** A name as an absolute one. */
export function withFinalDot(name: string): string {
  return name.endsWith('.') ? name : `${name}.`
}
