import { classes, extendedErrors, rcodes } from '../../../src/dns/codes.ts'
import type { Question } from '../../../src/dns/message.ts'
import { lowerCaseName } from '../../../src/dns/name.ts'
import { putAdditionals } from './additional-section.ts'
import { putAnswers } from './answer-section.ts'
import { putAuthority } from './authority-section.ts'
import { findZone } from './find-zone.ts'
import type { Response } from './response.ts'
import type { ServedZones } from './served-zone.ts'

/** Answers one question from the zones, section by section (RFC 1034 section 4.3.2). The first RRset that does not fit ends it: later
 *  stages do not look up data that could not be added. */
export function answer(question: Question, zones: ServedZones, response: Response): void {
  const zone = findZone(zones, lowerCaseName(question.name), question.type)
  if (zone === undefined) {
    // Not NXDOMAIN: we know nothing about the name. Not SERVFAIL: asking again will not help.
    response.rcode = rcodes.refused
    response.extendedError = extendedErrors.notAuthoritative
    return
  }
  if (zone.isExpired) {
    response.rcode = rcodes.servFail
    response.extendedError = extendedErrors.invalidData
    return
  }
  const end = putAnswers(question, { zone, zones }, response)
  // RFC 1035 section 6.2: with class ANY we cannot know that our answer is all there is.
  if (question.class === classes.any) response.isAuthoritative = false
  if (end === undefined) return
  putAuthority(end, response)
  if (!response.isTruncated) putAdditionals(end, response)
}
