import { types } from '../dns/codes.ts'
import { headerOctets } from '../dns/header.ts'
import { maxMessageOctets } from '../dns/message.ts'
import type { Answer } from './answer.ts'

// The length of an encrypted answer still tells what was asked. Clients that pad their queries are answered in blocks
// (RFC 7830), as long as RFC 8467 section 4.1 recommends. This is done to finished answers, so that only those over TLS
// take the time, and what is metered is what was asked for.

const blockOctets = 468
const paddingOption = 12
const optionHeaderOctets = 4
/** Root owner, type, class, TTL and RDLENGTH. */
const optOctets = 11
const maxLabelOctets = 63

/** As `answer`, with answers padded for clients that pad. */
export function paddedAnswer(answer: Answer): Answer {
  return (request, transport, buffer, address) => {
    const response = answer(request, transport, buffer, address)
    if (!(response instanceof Uint8Array) || !hasPadding(request)) return response
    return pad(response, buffer)
  }
}

/** Whether the request has a Padding option, and the form of a query that has an OPT and no other record. */
export function hasPadding(request: Uint8Array): boolean {
  const end = request.length
  if (end < headerOctets || u16(request, 4) !== 1 || u16(request, 10) !== 1) return false
  const optAt = questionEnd(request)
  if (optAt + optOctets > end || request[optAt] !== 0) return false
  if (u16(request, optAt + 1) !== types.OPT) return false
  for (let at = optAt + optOctets; at + optionHeaderOctets <= end; ) {
    if (u16(request, at) === paddingOption) return true
    at += optionHeaderOctets + u16(request, at + 2)
  }
  return false
}

/** Pads to whole blocks, in `buffer`; as it is where it does not end in an OPT without options. */
function pad(response: Uint8Array, buffer: Uint8Array): Uint8Array {
  const end = response.length
  const optAt = end - optOctets
  const isOptLast =
    optAt >= headerOctets &&
    response[optAt] === 0 &&
    u16(response, optAt + 1) === types.OPT &&
    u16(response, end - 2) === 0
  const start = end + optionHeaderOctets
  if (!isOptLast || start > maxMessageOctets) return response
  const paddedEnd = Math.min(Math.ceil(start / blockOctets) * blockOctets, maxMessageOctets)
  // What is answered may be kept elsewhere and only lent.
  if (response.buffer !== buffer.buffer || response.byteOffset !== buffer.byteOffset)
    buffer.set(response)
  put16(buffer, end - 2, paddedEnd - end)
  put16(buffer, end, paddingOption)
  put16(buffer, end + 2, paddedEnd - start)
  return buffer.fill(0, start, paddedEnd).subarray(0, paddedEnd)
}

/** Where the first question ends, if it lies within the message; otherwise somewhere behind the end. */
function questionEnd(request: Uint8Array): number {
  let at = headerOctets
  for (let label = request[at] ?? 0; label !== 0; label = request[at] ?? 0) {
    if (label > maxLabelOctets) return request.length
    at += 1 + label
  }
  return at + 5
}

function u16(octets: Uint8Array, at: number): number {
  return ((octets[at] ?? 0) << 8) | (octets[at + 1] ?? 0)
}

function put16(octets: Uint8Array, at: number, value: number): void {
  octets[at] = value >>> 8
  octets[at + 1] = value & 0xff
}
