import { rcodes, tsigErrors } from '../dns/codes.ts'
import { type Hmac, type TsigSecret, u48Octets } from '../dns/tsig-mac.ts'
import { TsigSigner } from '../dns/tsig-signer.ts'
import { type KeyFinder, verifyTsig } from '../dns/tsig-verifier.ts'
import type { Request } from './request.ts'
import type { Response } from './response.ts'

/** The parts needed to judge a TSIG and to make one. */
export type TsigParts = {
  readonly findKey: KeyFinder
  readonly hmac: Hmac
  /** Seconds since 1970. */
  readonly nowSeconds: number
}

/** Judges the TSIG of a request (RFC 8945 section 5.2) and has the response signed, or makes the response to a bad one.
 *  Returns the key of an accepted request. */
export function acceptTsig(
  request: Request,
  response: Response,
  parts: TsigParts,
): TsigSecret | undefined {
  const { tsig, tsigAt } = request
  if (tsig === undefined) return undefined
  const octets = request.octets.subarray(0, request.end)
  const verdict = verifyTsig({ octets, tsig, tsigAt }, parts)
  if (verdict.kind === 'malformed') {
    response.rcode = rcodes.formErr
    return undefined
  }
  if (verdict.kind === 'unknown') {
    refuseUnsigned(request, response, verdict.error)
    return undefined
  }
  const { nowSeconds, hmac } = parts
  const signer = new TsigSigner(verdict.key, hmac, tsig.mac)
  if (verdict.kind === 'verified') {
    response.sign(signer, { nowSeconds })
    return verdict.key
  }
  response.rcode = rcodes.notAuth
  const { error } = verdict
  // Section 5.2.3: the client's time, or it would reject the answer, and ours as well.
  const times = { timeSigned: tsig.timeSigned, otherData: u48Octets(nowSeconds) }
  response.sign(signer, { nowSeconds, error, ...(error === tsigErrors.badTime ? times : {}) })
  return undefined
}

/** Makes the response to a request whose key or MAC is not good: unsigned, at the time of the request (RFC 8945
 *  section 5.3.2). */
export function refuseUnsigned(request: Request, response: Response, error: number): void {
  const { tsig, id } = request
  if (tsig === undefined) return
  response.rcode = rcodes.notAuth
  response.tsig = { ...tsig, mac: noOctets, originalId: id, error, otherData: noOctets }
}

const noOctets = new Uint8Array()
