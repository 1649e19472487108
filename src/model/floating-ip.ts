import type { FieldError } from '../errors.ts'
import type { Changes } from './changes.ts'
import { hostNameError } from './host-name.ts'
import { quote } from './quote.ts'
import type { Recordset } from './recordset.ts'
import type { Stamped } from './stamped.ts'

/** An address that is lent to a project, which may name it in DNS. The name is stored only as a PTR recordset of a
 *  reverse zone. */
export type FloatingIp = Stamped & {
  readonly region: string
  readonly projectId: string
  /** Canonical dotted quad. */
  readonly address: string
}

export type FloatingIpDraft = Pick<FloatingIp, 'region' | 'projectId' | 'address'>

/** Changes of an address's PTR; an undefined field stays as it is. */
export type PtrPatch = { readonly name: string } & Changes<
  Pick<Recordset, 'ttlSeconds' | 'description'>
>

/** The project that reverse zones belong to; no user can log in to it. */
export const managedProjectId = '00000000-0000-0000-0000-000000000000'

const dottedQuad = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/

export function addressError(address: string): FieldError | undefined {
  if (dottedQuad.test(address)) return undefined
  const message = `${quote(address)} is not a 'ipv4'`
  return { path: ['address'], message, validator: 'format', validator_value: 'ipv4' }
}

export function ptrNameError(name: string): FieldError | undefined {
  return hostNameError('ptrdname', name)
}

/** The name of an address in the reverse tree (RFC 1035 section 3.5), and the name of its zone, a /24. */
export function reverseNamesOf(address: string): { readonly owner: string; readonly zone: string } {
  const [first, second, third, last] = address.split('.')
  const zone = `${third}.${second}.${first}.in-addr.arpa.`
  return { owner: `${last}.${zone}`, zone }
}
