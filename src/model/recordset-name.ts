import type { FieldError } from '../errors.ts'
import { ApiError } from '../errors.ts'
import { formatError } from './field-rules.ts'
import { hostNameProblem } from './host-name.ts'
import { quote } from './quote.ts'

/** Checks the form of a record set's name, which some types narrow. */
export function recordsetNameError(name: string, type: string): FieldError | undefined {
  const isWildcard = name.startsWith('*.')
  // A star counts like any other label of one character.
  const plainName = isWildcard ? `x${name.slice(1)}` : name
  const problem = hostNameProblem(plainName) ?? typeProblem(name, { type, isWildcard })
  return formatError('name', name, { format: 'hostname', problem })
}

/** @throws ApiError invalid_recordset_location the name is neither the zone's nor below it */
export function requireNameInZone(name: string, zoneName: string): void {
  const lowerName = name.toLowerCase()
  const lowerZoneName = zoneName.toLowerCase()
  if (lowerName === lowerZoneName || lowerName.endsWith(`.${lowerZoneName}`)) return
  throw new ApiError(
    'invalid_recordset_location',
    `${quote(name)} is not in the zone ${quote(zoneName)}`,
  )
}

function typeProblem(
  name: string,
  { type, isWildcard }: { type: string; isWildcard: boolean },
): string | undefined {
  // RFC 4592 section 4.2: a wildcard cut has no defined meaning.
  if (type === 'NS' && isWildcard) return 'an NS record set cannot be a wildcard'
  if (type === 'SRV' && !/^_[^.]+\._[^.]+\./.test(name)) {
    return "an SRV name begins with '_service._protocol.'" // RFC 2782
  }
  if (type === 'TLSA' && !/^_\d+\._[^.]+\./.test(name)) {
    return "a TLSA name begins with '_port._protocol.'" // RFC 6698 section 3
  }
  return undefined
}
