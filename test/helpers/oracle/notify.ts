import { classes, rcodes, types } from '../../../src/dns/codes.ts'
import type { Question } from '../../../src/dns/message.ts'
import { lowerCaseName, type Name } from '../../../src/dns/name.ts'
import type { ServedZones } from './served-zone.ts'

/** Receives a notification that a zone has changed; the apex is that of a zone held here, in lower case. Returns whether
 *  it will be processed. False leaves the request unanswered, so that the sender repeats it. */
export type OnNotified = (apex: Name) => boolean

/** The rcode for a NOTIFY (RFC 1996), and for NOERROR the zone. */
export type NotifyVerdict =
  | { readonly rcode: typeof rcodes.noError; readonly apex: Name }
  | { readonly rcode: number; readonly apex?: undefined }

/** Judges a NOTIFY by its question. Nothing else is read: the sender is not known here, and the SOA
 *  that it may carry is a hint (RFC 1996 section 3.7) that anyone can forge. */
export function judgeNotify(question: Question, zones: ServedZones): NotifyVerdict {
  // As BIND does, whatever the zone: there is none for which another class or type would do.
  if (question.class !== classes.in) return { rcode: rcodes.notImp }
  if (question.type !== types.SOA) return { rcode: rcodes.formErr }
  const qname = lowerCaseName(question.name)
  const apex = zones.find(qname)?.apex
  return apex === qname ? { rcode: rcodes.noError, apex } : { rcode: rcodes.notAuth }
}
