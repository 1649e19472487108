import { types } from '../dns/codes.ts'
import type { Name } from '../dns/name.ts'
import { parseBase32hex } from '../dns/rdata/fields/base32hex.ts'
import { ascending } from '../dns/rdata/fields/bits.ts'
import { typeBitmap } from '../dns/rdata/fields/type-bitmap.ts'
import { RdataWriter } from '../dns/rdata/rdata-writer.ts'
import type { Rrset } from '../zone/rrset.ts'
import {
  digestOctets,
  hashLabelOctets,
  Nsec3Hash,
  writeHashLabel,
} from '../zone/table/nsec3-hash.ts'
import type { TableZone } from '../zone/table/table-zone.ts'
import { canonicalKey } from './canonical.ts'

/** How a zone that is signed here proves absence: NSEC, or NSEC3 without salt and further iterations (RFC 9276 section
 *  3.1), with opt-out where cuts without DS have none (RFC 5155 section 6). */
export const denials = ['NSEC', 'NSEC3', 'NSEC3_OPT_OUT'] as const
export type Denial = (typeof denials)[number]

/** SHA-1, no flags, no iterations, no salt. */
const parameters = [1, 0, 0, 0, 0] as const
const optOutFlag = 1
/** Octets of an NSEC3 in front of its bitmap: parameters, length of the hash, hash of the next owner. */
const nextAt = parameters.length + 1
const bitmapAt = nextAt + digestOctets
const noSalt = { salt: new Uint8Array(), saltAt: 0, saltOctets: 0, iterations: 0 }

const hasher = new Nsec3Hash()

/** The owner of the NSEC3 of a name, in lower case. */
export function nsec3Owner(name: Name, apex: Name): Name {
  const octets = Buffer.from(name, 'latin1')
  hasher.hash(octets, 0, octets.length, noSalt)
  const label = Buffer.alloc(1 + hashLabelOctets)
  writeHashLabel(hasher.words, 0, label, 0)
  return `${label.toString('latin1')}${apex}` as Name
}

export function nsec3param(): Rrset {
  return { type: types.NSEC3PARAM, ttlSeconds: 0, rdatas: [new Uint8Array(parameters)] }
}

/** How a zone of the table denies names; undefined where it has no chain made here. */
export function denialOf(zone: TableZone): Denial | undefined {
  const { apex } = zone
  if (zone.findRrset(apex, types.NSEC) !== undefined) return 'NSEC'
  if (zone.findRrset(apex, types.NSEC3PARAM) === undefined) return undefined
  const [link] = zone.findRrset(nsec3Owner(apex, apex), types.NSEC3)?.rdatas ?? []
  if (link === undefined) return undefined
  return ((link[1] as number) & optOutFlag) === 0 ? 'NSEC3' : 'NSEC3_OPT_OUT'
}

/** Chains differ by the type of their links and by their order: `keyOf` gives a text by which owners sort. */
export type ChainKind = { readonly type: number; readonly keyOf: (owner: Name) => string }

export const nsecChain: ChainKind = { type: types.NSEC, keyOf: canonicalKey }
export const nsec3Chain: ChainKind = { type: types.NSEC3, keyOf: owner => owner }

/** The NSEC of a name (RFC 4034 section 4). `ownTypes` are those that its zone is authoritative for; the name also has NSEC and
 *  RRSIG. */
export function nsecRrset(next: Name, ownTypes: readonly number[], ttlSeconds: number): Rrset {
  writer.text(next)
  typeBitmap.encode(ascending([...ownTypes, types.NSEC, types.RRSIG]), writer)
  return { type: types.NSEC, ttlSeconds, rdatas: [writer.finish()] }
}

const writer = new RdataWriter()

/** Returns an NSEC3.
 *  @param bitmap of types, as in rdata */
export function nsec3Rrset(
  next: Name,
  bitmap: Uint8Array,
  { ttlSeconds, denial }: { readonly ttlSeconds: number; readonly denial: Denial },
): Rrset {
  const [algorithm, , ...others] = parameters
  const flags = denial === 'NSEC3_OPT_OUT' ? optOutFlag : 0
  const head = [algorithm, flags, ...others, digestOctets]
  const rdata = new Uint8Array(Buffer.concat([Buffer.from(head), hashOf(next), bitmap]))
  return { type: types.NSEC3, ttlSeconds, rdatas: [rdata] }
}

/** The bitmap of an NSEC3. */
export function nsec3Bitmap(rdata: Uint8Array): Uint8Array {
  return rdata.subarray(bitmapAt)
}

/** The bitmap of a name's own types (RFC 5155 section 3.2.1). */
export function nsec3BitmapOf(ownTypes: readonly number[], isSigned: boolean): Uint8Array {
  typeBitmap.encode(ascending(isSigned ? [...ownTypes, types.RRSIG] : ownTypes), writer)
  return writer.finish()
}

/** The hash in an owner's first label. */
function hashOf(owner: Name): Uint8Array {
  return parseBase32hex(owner.slice(1, 1 + hashLabelOctets)) as Uint8Array
}
