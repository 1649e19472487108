import type { FieldError } from '../errors.ts'
import { ApiError } from '../errors.ts'
import { formatError } from './field-rules.ts'
import { type NameForm, ownerNameProblem } from './owner-name.ts'
import { quote } from './quote.ts'

/** Checks the form of a recordset's name, which some types restrict. */
export function recordsetNameError(
  name: string,
  type: string,
  form: NameForm = 'host',
): FieldError | undefined {
  const isWildcard = name.startsWith('*.')
  // A star counts like any other label of one character.
  const plainName = isWildcard ? `x${name.slice(1)}` : name
  const problem = ownerNameProblem(plainName, form) ?? typeProblem(name, { type, isWildcard })
  return formatError('name', name, { format: 'hostname', problem })
}

/** Completes a name that is relative to its zone; `@` is the zone itself, as in zone files (RFC 1035 section 5.1). Absolute
 *  names end in a dot. A name that ends in the zone's name without the final dot was most likely meant to be absolute:
 *  it is returned unchanged and then refused. */
export function absoluteRecordsetName(name: string, zoneName: string): string {
  if (name === '@') return zoneName
  const lacksDot = `.${name}.`.toLowerCase().endsWith(`.${zoneName.toLowerCase()}`)
  return name === '' || isAbsolute(name) || lacksDot ? name : `${name}.${zoneName}`
}

/** Whether a name ends in a dot that is not escaped. */
function isAbsolute(name: string): boolean {
  return /(?:^|[^\\])(?:\\\\)*\.$/.test(name)
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
  if (type === 'NS' && isWildcard) return 'an NS recordset cannot be a wildcard'
  // A wildcard matches names of these forms as well.
  if (isWildcard) return undefined
  if (type === 'SRV' && !/^_[^.]+\._[^.]+\./.test(name)) {
    return "an SRV name begins with '_service._protocol.'" // RFC 2782
  }
  if (type === 'TLSA' && !isTlsaName(name)) {
    return "a TLSA name begins with '_port._protocol.'" // RFC 6698 section 3
  }
  return undefined
}

function isTlsaName(name: string): boolean {
  const [, port] = /^_(\d{1,5})\._[^.]+\./.exec(name) ?? []
  return port !== undefined && Number(port) <= 65_535
}
