import { formatName, type Name } from '../dns/name.ts'
import { typeMnemonic } from '../dns/rdata/mnemonic.ts'

/** Far more than real names have; it keeps a hostile zone from making every look at a name a long walk. */
export const maxTypesPerName = 256

/** One way in which data is not a zone. `owner` is the name it is found at, case as given. */
export type ZoneDefect =
  /** RFC 1035 section 5.2: exactly one SOA, at the apex. */
  | { readonly kind: 'soa-missing' }
  | { readonly kind: 'soa-below-apex'; readonly owner: Name }
  /** RFC 1034 section 4.2.1: the apex names the zone's servers. Catalog zones have an invalid one. */
  | { readonly kind: 'ns-missing' }
  | { readonly kind: 'outside-zone'; readonly owner: Name }
  /** Types that only exist in messages or questions: OPT, TSIG, ANY and their range (RFC 6895 section 3.1). */
  | { readonly kind: 'not-zone-data'; readonly owner: Name; readonly type: number }
  | { readonly kind: 'rrset-empty'; readonly owner: Name; readonly type: number }
  /** RFC 2181 section 5: no two records are the same. */
  | { readonly kind: 'record-repeated'; readonly owner: Name; readonly type: number }
  /** RFC 2181 section 8: a TTL is a whole number of 31 bits. */
  | { readonly kind: 'ttl-out-of-range'; readonly owner: Name; readonly type: number }
  /** Several records of a type that may have only one: SOA, CNAME, DNAME, ALIAS. */
  | { readonly kind: 'singleton-repeated'; readonly owner: Name; readonly type: number }
  /** More than `maxTypesPerName`. */
  | { readonly kind: 'too-many-types'; readonly owner: Name }
  /** RFC 1034 section 3.6.2. */
  | { readonly kind: 'cname-and-other-data'; readonly owner: Name }
  /** The addresses of an ALIAS are its target's. */
  | { readonly kind: 'alias-and-address'; readonly owner: Name }
  /** RFC 6672 section 2.4: DNAME beside NS is only possible at the apex. */
  | { readonly kind: 'dname-at-cut'; readonly owner: Name }
  /** RFC 6672 section 2.4. `owner` is where the DNAME is. */
  | { readonly kind: 'data-below-dname'; readonly owner: Name }
  /** RFC 4035 section 2.4: DS belongs to the parent side. */
  | { readonly kind: 'ds-at-apex'; readonly owner: Name }
  /** RFC 4592 section 4.2 leaves its meaning open, and other servers refuse to load it. */
  | { readonly kind: 'ns-at-wildcard'; readonly owner: Name }

const texts: Readonly<Record<ZoneDefect['kind'], string>> = {
  'soa-missing': 'the zone has no SOA',
  'soa-below-apex': 'a SOA below the apex',
  'ns-missing': 'the zone has no NS',
  'outside-zone': 'a name outside the zone',
  'not-zone-data': 'a type that no zone can have',
  'rrset-empty': 'no records',
  'record-repeated': 'the same record twice',
  'ttl-out-of-range': 'a TTL above 2147483647',
  'singleton-repeated': 'more than one record',
  'too-many-types': `more than ${maxTypesPerName} types`,
  'cname-and-other-data': 'a CNAME beside other records',
  'alias-and-address': 'an ALIAS beside addresses',
  'dname-at-cut': 'a DNAME beside NS below the apex',
  'data-below-dname': 'records below a DNAME',
  'ds-at-apex': 'a DS at the apex, which belongs in the parent zone',
  'ns-at-wildcard': 'an NS at a wildcard',
}

/** A defect in a sentence: `www.example. CNAME: more than one record`. */
export function describeDefect(defect: ZoneDefect): string {
  const text = texts[defect.kind]
  if (!('owner' in defect)) return text
  const name = formatName(defect.owner)
  return 'type' in defect ? `${name} ${typeMnemonic(defect.type)}: ${text}` : `${name}: ${text}`
}
