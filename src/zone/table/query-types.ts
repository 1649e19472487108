import { types } from '../../dns/codes.ts'

// Which types queries are counted by: the usual ones separately, and all others together, so that queries for more
// types make no more counters.

type QueryType = keyof typeof types | 'other'

/** The types that a server's queries are counted by. */
export const queryTypes: readonly QueryType[] = [
  'other',
  'A',
  'AAAA',
  'ANY',
  'AXFR',
  'CAA',
  'CDNSKEY',
  'CDS',
  'CNAME',
  'DNSKEY',
  'DS',
  'HTTPS',
  'IXFR',
  'MX',
  'NAPTR',
  'NS',
  'NSEC',
  'NSEC3PARAM',
  'PTR',
  'RRSIG',
  'SOA',
  'SPF',
  'SRV',
  'SSHFP',
  'SVCB',
  'TLSA',
  'TXT',
  'URI',
]

/** The types that a zone's queries are counted by. */
export const zoneTypes: readonly QueryType[] = [
  'other',
  'A',
  'AAAA',
  'HTTPS',
  'MX',
  'NS',
  'SOA',
  'TXT',
]

/** All counted types are below. */
const countedBelow = 258

const queryTypeOf = indexesOf(queryTypes)
const zoneTypeOf = indexesOf(zoneTypes)

/** The index of a type in `queryTypes`. */
export function queryTypeIndex(type: number): number {
  return type < queryTypeOf.length ? (queryTypeOf[type] as number) : 0
}

/** The index of a type in `zoneTypes`. */
export function zoneTypeIndex(type: number): number {
  return type < zoneTypeOf.length ? (zoneTypeOf[type] as number) : 0
}

function indexesOf(counted: readonly QueryType[]): Uint8Array {
  const indexes = new Uint8Array(countedBelow)
  for (const [index, name] of counted.entries()) if (name !== 'other') indexes[types[name]] = index
  return indexes
}
