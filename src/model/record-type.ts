import { types } from '../dns/codes.ts'
import { typeCode, typeMnemonic } from '../dns/rdata/index.ts'
import type { FieldError } from '../errors.ts'
import { quote } from './quote.ts'

/** Types that the server derives from the rest of the zone: a value from a client would be wrong after the next change. */
const derivedTypes: ReadonlySet<number> = new Set([
  types.RRSIG,
  types.NSEC,
  types.NSEC3,
  types.NSEC3PARAM,
  types.ZONEMD,
])

// RFC 6895 section 3.1: 128 to 255 are QTYPEs and meta-types; 0 and 65535 are reserved.
const firstMetaType = 128
const lastMetaType = 255
const reservedTypes: ReadonlySet<number> = new Set([0, 65_535, types.OPT])

/** Checks that a recordset may have this type: a known mnemonic, or TYPEn where there is none (RFC 3597
 *  section 5). Each type has exactly one spelling; otherwise two recordsets could claim one RRset. */
export function recordTypeError(type: string): FieldError | undefined {
  const problem = typeProblem(type)
  if (problem === undefined) return undefined
  return {
    path: ['type'],
    message: `${quote(type)} is not a record type: ${problem}`,
    validator: 'format',
    validator_value: 'recordtype',
  }
}

/** The current name of a stored type: a mnemonic, even where an earlier version knew none and stored `TYPEn`. */
export function currentType(type: string): string {
  const code = type.startsWith('TYPE') ? typeCode(type) : undefined
  return code === undefined ? type : typeMnemonic(code)
}

function typeProblem(type: string): string | undefined {
  const code = typeCode(type)
  if (code === undefined) return 'neither a known mnemonic nor TYPE and a number'
  if (typeMnemonic(code) !== type) return `write it as '${typeMnemonic(code)}'`
  if (derivedTypes.has(code)) return 'the server makes these records itself'
  const isMeta = code >= firstMetaType && code <= lastMetaType
  return isMeta || reservedTypes.has(code) ? 'such records are never part of a zone' : undefined
}
