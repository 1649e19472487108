import { classes, rcodes, types } from '../../../src/dns/codes.ts'
import type { Question } from '../../../src/dns/message.ts'
import { lowerCaseName, type Name } from '../../../src/dns/name.ts'
import type { ServedZones } from './served-zone.ts'

/** Told that somebody says a zone has changed; the apex is that of a zone held here, in lower case. Returns whether
 *  that will be seen to. False leaves the request without an answer, so that it is sent again. */
export type OnNotified = (apex: Name) => boolean

/** What a NOTIFY earns (RFC 1996), and where that is NOERROR, of which zone it is. */
export type NotifyVerdict =
  | { readonly rcode: typeof rcodes.noError; readonly apex: Name }
  | { readonly rcode: number; readonly apex?: undefined }

/** Judges a NOTIFY by its question. Nothing else of it is read: who sent it is nothing that is known here, and the SOA
 *  that may come along is a hint (RFC 1996 section 3.7) that anybody can forge. */
export function judgeNotify(question: Question, zones: ServedZones): NotifyVerdict {
  // As BIND does, whatever the zone: there is none for which another class or type would do.
  if (question.class !== classes.in) return { rcode: rcodes.notImp }
  if (question.type !== types.SOA) return { rcode: rcodes.formErr }
  const qname = lowerCaseName(question.name)
  const apex = zones.find(qname)?.apex
  return apex === qname ? { rcode: rcodes.noError, apex } : { rcode: rcodes.notAuth }
}
