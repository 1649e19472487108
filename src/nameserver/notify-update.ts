import { classes, rcodes, types } from '../dns/codes.ts'
import type { TableLookup } from '../zone/table/table-lookup.ts'
import type { AwaitedZones } from './awaited-zones.ts'
import type { Request } from './request.ts'

/** Judges a NOTIFY (RFC 1996) by its question and returns its rcode. Nothing else of it is read: its sender is not known
 *  here, and the SOA that it may carry is a hint (section 3.7) that anybody can forge. */
export function judgeNotify(
  { key, qclass, qtype, zone }: Request,
  lookup: TableLookup,
  awaited: AwaitedZones,
): number {
  // As BIND does, for any zone: no zone accepts another class or type.
  if (qclass !== classes.in) return rcodes.notImp
  if (qtype !== types.SOA) return rcodes.formErr
  const isOurs = lookup.isApex(zone, key) || awaited.has(key.nameFrom(0))
  return isOurs ? rcodes.noError : rcodes.notAuth
}

/** Judges an UPDATE (RFC 2136) by its zone section and returns its rcode: NOERROR where it is for the apex of a zone of ours
 *  (section 3.1). Only the services know who may change that zone, and how. */
export function judgeUpdate({ key, qclass, qtype, zone }: Request, lookup: TableLookup): number {
  if (qtype !== types.SOA) return rcodes.formErr
  if (qclass !== classes.in) return rcodes.notAuth
  return lookup.isApex(zone, key) ? rcodes.noError : rcodes.notAuth
}
