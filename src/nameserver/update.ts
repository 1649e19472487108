import { classes, rcodes, types } from '../dns/codes.ts'
import type { TableLookup } from '../zone/table/table-lookup.ts'
import type { Request } from './request.ts'

/** Judges an UPDATE (RFC 2136) by its zone section and returns its rcode: NOERROR where it is for the apex of a zone of ours
 *  (section 3.1). Only the services know who may change that zone, and how. */
export function judgeUpdate({ key, qclass, qtype, zone }: Request, lookup: TableLookup): number {
  if (qtype !== types.SOA) return rcodes.formErr
  if (qclass !== classes.in) return rcodes.notAuth
  return lookup.isApex(zone, key) ? rcodes.noError : rcodes.notAuth
}
