import { types } from '../dns/codes.ts'
import type { Name } from '../dns/name.ts'
import { ascending, typeBitmap as field } from '../dns/rdata/fields/type-bitmap.ts'
import { RdataWriter } from '../dns/rdata/rdata-writer.ts'
import type { Rrset } from '../zone/rrset.ts'

/** The NSEC RRset of a name (RFC 4034 section 4). `ownTypes` are those that its zone is authoritative for; the name also has NSEC
 *  and RRSIG. */
export function nsecRrset(next: Name, ownTypes: readonly number[], ttlSeconds: number): Rrset {
  const bitmap = typeBitmap([...ownTypes, types.NSEC, types.RRSIG])
  const rdata = Buffer.concat([Buffer.from(next, 'latin1'), bitmap])
  return { type: types.NSEC, ttlSeconds, rdatas: [new Uint8Array(rdata)] }
}

const writer = new RdataWriter()

/** RFC 4034 section 4.1.2. */
export function typeBitmap(list: readonly number[]): Uint8Array {
  field.encode(ascending(list), writer)
  return writer.finish()
}
