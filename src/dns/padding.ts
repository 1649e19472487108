import { ednsOptions } from './codes.ts'
import { put16 } from './octets.ts'

// The length of an encrypted response still reveals the question. Clients that pad their requests get responses in blocks (RFC
// 7830), of the length that RFC 8467 section 4.1 recommends.

const blockOctets = 468
const optionHeaderOctets = 4
/** Root owner, type, class and TTL, before RDLENGTH. */
const lengthAtInOpt = 9

/** Pads a message behind the last option of its final OPT, so that it fills whole blocks together with the octets to follow. Leaves
 *  it unchanged where there is no room for that.
 *  @param octets has room behind the message
 *  @param optAt where the OPT begins
 *  @returns where the message then ends */
export function padMessage(
  octets: Uint8Array,
  {
    end,
    optAt,
    tailOctets,
  }: { readonly end: number; readonly optAt: number; readonly tailOctets: number },
): number {
  const start = end + optionHeaderOctets
  const most = octets.length - tailOctets
  if (start > most) return end
  const wanted = Math.ceil((start + tailOctets) / blockOctets) * blockOctets - tailOctets
  const paddedEnd = Math.min(wanted, most)
  const lengthAt = optAt + lengthAtInOpt
  put16(octets, lengthAt, paddedEnd - lengthAt - 2)
  put16(octets, end, ednsOptions.padding)
  put16(octets, end + 2, paddedEnd - start)
  octets.fill(0, start, paddedEnd)
  return paddedEnd
}
