import { rcodes, types } from '../dns/codes.ts'
import { FormatError } from '../dns/format-error.ts'
import { decodeMessage } from '../dns/message.ts'
import type { Name } from '../dns/name.ts'
import type { TsigSigner } from '../dns/tsig-signer.ts'
import { soaNumbersIn } from '../zone/soa.ts'
import type { TableLookup } from '../zone/table/table-lookup.ts'
import type { Request } from './request.ts'

/** A well-formed request for a zone of ours with a good signature. Whether its sender may have the zone is not known
 *  here. */
export type TransferRequest = {
  /** Lower-case. */
  readonly apex: Name
  /** The request as it came. */
  readonly octets: Uint8Array
  /** Of IXFR: the serial that the client has. */
  readonly serial: number | undefined
  /** What the response is signed with. */
  readonly signer: TsigSigner | undefined
  readonly hasEdns: boolean
}

/** Judges AXFR or IXFR by its question and returns its rcode. */
export function judgeTransfer(request: Request, lookup: TableLookup): number {
  const { zone, key } = request
  // RFC 5936 section 2.2.1.
  if (!lookup.isApex(zone, key)) return rcodes.notAuth
  if (lookup.isExpired(zone)) return rcodes.servFail
  if (request.qtype === types.IXFR && serialOf(request) === undefined) return rcodes.formErr
  return rcodes.noError
}

/** Makes a value of the request, whose memory will be reused. */
export function transferRequestOf(
  request: Request,
  signer: TsigSigner | undefined,
): TransferRequest {
  return {
    apex: request.key.nameFrom(0),
    octets: new Uint8Array(request.octets.subarray(0, request.end)),
    serial: request.qtype === types.IXFR ? serialOf(request) : undefined,
    signer,
    hasEdns: request.hasEdns,
  }
}

/** RFC 1995 section 3: the SOA of the client's version is in the authority section. */
function serialOf({ octets, end }: Request): number | undefined {
  try {
    const { authorities } = decodeMessage(octets.subarray(0, end))
    const soa = authorities.find(({ type }) => type === types.SOA)
    return soa && soaNumbersIn(soa.rdata).serial
  } catch (error) {
    if (error instanceof FormatError || error instanceof RangeError) return undefined
    throw error
  }
}
