import { types } from '../dns/codes.ts'
import { isWildcard, type Name } from '../dns/name.ts'
import { latin1 } from '../dns/rdata/fields/strings.ts'
import { maxTypesPerName, type ZoneDefect } from './defect.ts'
import type { Rrset } from './rrset.ts'

const maxTtlSeconds = 2 ** 31 - 1

/** RFC 6895 section 3.1: codes 128 to 255 are questions and message parts; OPT is one by RFC 6891. */
const metaTypes = { first: 128, last: 255 }

const singletonTypes: readonly number[] = [types.SOA, types.CNAME, types.DNAME, types.ALIAS]

/** Types that a rule concerns; a TTL that is too long breaks a rule as well. */
const ruledTypes: ReadonlySet<number> = new Set([...singletonTypes, types.NS, types.DS])

/** Whether a name may have a defect for owning an RRset of this type, whatever else it owns: without any such one, and with
 *  each RRset once, with distinct records and not too many types, it has none. */
export function isRuled(type: number, ttlSeconds: number): boolean {
  return ruledTypes.has(type) || !isZoneType(type) || ttlSeconds > maxTtlSeconds
}

/** The types allowed beside a CNAME: its own proof (RFC 4035 section 2.5). */
const besideCname: readonly number[] = [types.CNAME, types.RRSIG, types.NSEC]

/** All RRsets of one name. */
type NameData = {
  readonly owner: Name
  readonly isApex: boolean
  readonly rrsets: readonly Rrset[]
}

/** Returns the defects of one name, regardless of the rest of the zone. */
export function nameDefects({ owner, isApex, rrsets }: NameData): readonly ZoneDefect[] {
  const ownTypes = rrsets.map(({ type }) => type)
  const ofRrsets = rrsets.flatMap(rrset => rrsetDefects(owner, rrset))
  return [...ofRrsets, ...typeDefects({ owner, isApex, ownTypes })]
}

/** Returns the defects that the types of a name make together, or by being there. */
export function typeDefects({
  owner,
  isApex,
  ownTypes,
}: Pick<NameData, 'owner' | 'isApex'> & { readonly ownTypes: readonly number[] }): ZoneDefect[] {
  const defects: ZoneDefect[] = []
  const has = (type: number): boolean => ownTypes.includes(type)
  if (ownTypes.length > maxTypesPerName) defects.push({ kind: 'too-many-types', owner })
  if (has(types.CNAME) && ownTypes.some(type => !besideCname.includes(type))) {
    defects.push({ kind: 'cname-and-other-data', owner })
  }
  if (has(types.ALIAS) && (has(types.A) || has(types.AAAA))) {
    defects.push({ kind: 'alias-and-address', owner })
  }
  if (isApex) {
    if (has(types.DS)) defects.push({ kind: 'ds-at-apex', owner })
    return defects
  }
  if (has(types.SOA)) defects.push({ kind: 'soa-below-apex', owner })
  if (has(types.NS) && has(types.DNAME)) defects.push({ kind: 'dname-at-cut', owner })
  if (has(types.NS) && isWildcard(owner)) defects.push({ kind: 'ns-at-wildcard', owner })
  return defects
}

/** Returns the defects of an RRset by itself. */
export function rrsetDefects(owner: Name, { type, ttlSeconds, rdatas }: Rrset): ZoneDefect[] {
  const defects: ZoneDefect[] = []
  if (!isZoneType(type)) defects.push({ kind: 'not-zone-data', owner, type })
  if (rdatas.length === 0) defects.push({ kind: 'rrset-empty', owner, type })
  if (!Number.isInteger(ttlSeconds) || ttlSeconds < 0 || ttlSeconds > maxTtlSeconds) {
    defects.push({ kind: 'ttl-out-of-range', owner, type })
  }
  if (rdatas.length < 2) return defects
  if (singletonTypes.includes(type)) defects.push({ kind: 'singleton-repeated', owner, type })
  if (new Set(rdatas.map(latin1)).size < rdatas.length) {
    defects.push({ kind: 'record-repeated', owner, type })
  }
  return defects
}

/** Whether a type can be data of a zone at all. */
export function isZoneType(type: number): boolean {
  if (!Number.isInteger(type) || type < 1 || type > 0xffff || type === types.OPT) return false
  return type < metaTypes.first || type > metaTypes.last
}
