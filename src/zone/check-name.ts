import { types } from '../dns/codes.ts'
import { isWildcard, type Name } from '../dns/name.ts'
import type { ZoneDefect } from './defect.ts'
import type { Rrset } from './rrset.ts'

const maxTtlSeconds = 2 ** 31 - 1

/** RFC 6895 section 3.1: codes 128 to 255 are questions and message parts; OPT is one by RFC 6891. */
const metaTypes = { first: 128, last: 255 }

const singletonTypes: readonly number[] = [types.SOA, types.CNAME, types.DNAME]

/** What may stand beside a CNAME: its own proof (RFC 4035 section 2.5). */
const besideCname: readonly number[] = [types.CNAME, types.RRSIG, types.NSEC]

/** All that one name owns. */
export type NameData = {
  readonly owner: Name
  readonly isApex: boolean
  readonly rrsets: readonly Rrset[]
}

/** Yields what is wrong with one name, whatever the rest of the zone says. */
export function* nameDefects({ owner, isApex, rrsets }: NameData): Generator<ZoneDefect> {
  const has = (type: number): boolean => rrsets.some(rrset => rrset.type === type)
  for (const rrset of rrsets) yield* rrsetDefects(owner, rrset)
  if (has(types.CNAME) && rrsets.some(rrset => !besideCname.includes(rrset.type))) {
    yield { kind: 'cname-and-other-data', owner }
  }
  if (isApex) {
    if (has(types.DS)) yield { kind: 'ds-at-apex', owner }
    return
  }
  if (has(types.SOA)) yield { kind: 'soa-below-apex', owner }
  if (has(types.NS) && has(types.DNAME)) yield { kind: 'dname-at-cut', owner }
  if (has(types.NS) && isWildcard(owner)) yield { kind: 'ns-at-wildcard', owner }
}

function* rrsetDefects(owner: Name, rrset: Rrset): Generator<ZoneDefect> {
  const { type, ttlSeconds, rdatas } = rrset
  if (!isZoneType(type)) yield { kind: 'not-zone-data', owner, type }
  if (rdatas.length === 0) yield { kind: 'rrset-empty', owner, type }
  if (!Number.isInteger(ttlSeconds) || ttlSeconds < 0 || ttlSeconds > maxTtlSeconds) {
    yield { kind: 'ttl-out-of-range', owner, type }
  }
  if (rdatas.length < 2) return
  if (singletonTypes.includes(type)) yield { kind: 'singleton-repeated', owner, type }
  if (new Set(rdatas.map(octetKey)).size < rdatas.length) {
    yield { kind: 'record-repeated', owner, type }
  }
}

/** Whether a type can be data of a zone at all. */
function isZoneType(type: number): boolean {
  if (!Number.isInteger(type) || type < 1 || type > 0xffff || type === types.OPT) return false
  return type < metaTypes.first || type > metaTypes.last
}

function octetKey(rdata: Uint8Array): string {
  return Buffer.from(rdata.buffer, rdata.byteOffset, rdata.length).toString('latin1')
}
