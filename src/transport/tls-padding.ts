import { ednsOptions, types } from '../dns/codes.ts'
import { headerOctets } from '../dns/header.ts'
import { maxMessageOctets } from '../dns/message.ts'
import type { Answer } from './answer.ts'

// The length of an encrypted answer still tells what was asked. Clients that pad their queries are answered in blocks
// (RFC 7830), as long as RFC 8467 section 4.1 recommends. This is done to finished answers, so that only those over TLS
// take the time, and what is metered is what was asked for.

const blockOctets = 468
const optionHeaderOctets = 4
/** Root owner, type, class, TTL and RDLENGTH. */
const optOctets = 11
const maxLabelOctets = 63

/** As `answer`, with answers padded for clients that pad. */
export function paddedAnswer(answer: Answer): Answer {
  const padded: Answer = (request, transport, buffer, address, later) => {
    const response = answer(request, transport, buffer, address, later)
    if (!(response instanceof Uint8Array) || !hasPadding(request)) return response
    return pad(response, buffer)
  }
  return Object.assign(padded, { together: answer.together })
}

/** Whether the request has a Padding option, and the form of a query that has an OPT and no other record. */
export function hasPadding(request: Uint8Array): boolean {
  const end = request.length
  if (end < headerOctets || u16(request, 4) !== 1 || u16(request, 10) !== 1) return false
  const optAt = questionEnd(request)
  if (optAt + optOctets > end || request[optAt] !== 0) return false
  if (u16(request, optAt + 1) !== types.OPT) return false
  for (let at = optAt + optOctets; at + optionHeaderOctets <= end; ) {
    if (u16(request, at) === ednsOptions.padding) return true
    at += optionHeaderOctets + u16(request, at + 2)
  }
  return false
}

/** Pads to whole blocks, in `buffer`; as it is where it does not end in an OPT. */
function pad(response: Uint8Array, buffer: Uint8Array): Uint8Array {
  const end = response.length
  const optAt = lastOptAt(response)
  const start = end + optionHeaderOctets
  if (optAt === 0 || start > maxMessageOctets) return response
  const paddedEnd = Math.min(Math.ceil(start / blockOctets) * blockOctets, maxMessageOctets)
  // What is answered may be kept elsewhere and only lent.
  if (response.buffer !== buffer.buffer || response.byteOffset !== buffer.byteOffset)
    buffer.set(response)
  const lengthAt = optAt + optOctets - 2
  put16(buffer, lengthAt, paddedEnd - lengthAt - 2)
  put16(buffer, end, ednsOptions.padding)
  put16(buffer, end + 2, paddedEnd - start)
  return buffer.fill(0, start, paddedEnd).subarray(0, paddedEnd)
}

/** Where the OPT is that the response ends in; 0 where it does not. */
function lastOptAt(response: Uint8Array): number {
  const recordCount = u16(response, 6) + u16(response, 8) + u16(response, 10)
  let at = u16(response, 4) === 0 ? headerOctets : questionEnd(response)
  let lastAt = 0
  for (let i = 0; i < recordCount; i += 1) {
    lastAt = at
    const fixedAt = nameEnd(response, at)
    at = fixedAt + 10 + u16(response, fixedAt + 8)
  }
  const isOpt = lastAt > 0 && response[lastAt] === 0 && u16(response, lastAt + 1) === types.OPT
  return isOpt ? lastAt : 0
}

/** Where a name in a response of ours ends. */
function nameEnd(response: Uint8Array, start: number): number {
  let at = start
  for (let label = response[at] ?? 0; label !== 0; label = response[at] ?? 0) {
    if (label > maxLabelOctets) return at + 2
    at += 1 + label
  }
  return at + 1
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
