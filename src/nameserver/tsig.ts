import { rcodes, tsigErrors } from '../dns/codes.ts'
import type { Tsig } from '../dns/tsig.ts'
import type { Response } from './response.ts'

/** Judges the TSIG of a request and makes the response to a bad one; returns whether the request is to be answered. No key
 *  is known to the answering threads yet, so each is BADKEY. */
export function verifyTsig(tsig: Tsig, response: Response, requestId: number): boolean {
  response.rcode = rcodes.notAuth
  // RFC 8945 sections 5.2.1 and 5.3.2: what is wrong with the key is said unsigned, at the time of the request.
  response.tsig = {
    ...tsig,
    mac: noOctets,
    originalId: requestId,
    error: tsigErrors.badKey,
    otherData: noOctets,
  }
  return false
}

const noOctets = new Uint8Array()
