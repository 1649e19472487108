import { fixedWord } from './fixed-word.ts'
import { fillIpv4, formatIpv4, ipv4Octets } from './ipv4.ts'

export const ipv6Octets = 16
const groupCount = 8

/** An IPv6 address, in any form of RFC 4291 section 2.2; written as RFC 5952 recommends. */
export const ipv6 = fixedWord(ipv6Octets, 'an IPv6 address', {
  parse: parseIpv6,
  format: formatIpv6,
})

/** Parses an address without zone id or prefix length; undefined for anything else. */
export function parseIpv6(text: string): Uint8Array | undefined {
  const octets = new Uint8Array(ipv6Octets)
  let next = 0
  let gap = -1
  let at = 0
  if (text.startsWith('::')) {
    gap = 0
    at = 2
  }
  while (at < text.length) {
    const end = groupEnd(text, at)
    if (text.charAt(end) === '.') return withIpv4Tail(text, at, { octets, next, gap })
    if (end === at || end - at > 4 || next === ipv6Octets) return undefined
    const value = Number.parseInt(text.slice(at, end), 16)
    octets[next] = value >>> 8
    octets[next + 1] = value
    next += 2
    if (end === text.length) break
    if (text.charAt(end) !== ':') return undefined
    at = end + 1
    if (text.charAt(at) === ':') {
      if (gap >= 0) return undefined
      gap = next
      at += 1
    } else if (at === text.length) return undefined
  }
  return expandGap(octets, next, gap)
}

/** Formats in lower case, the longest run of two or more zero groups (the first of equals) as `::`, and
 *  IPv4-mapped addresses with their dotted quad (RFC 5952 sections 4 and 5). */
export function formatIpv6(octets: Uint8Array): string {
  const groups: number[] = []
  for (let i = 0; i < groupCount; i += 1) {
    groups.push(((octets[2 * i] ?? 0) << 8) | (octets[2 * i + 1] ?? 0))
  }
  if (groups[5] === 0xffff && groups.slice(0, 5).every(isZero)) {
    return `::ffff:${formatIpv4(octets, ipv6Octets - ipv4Octets)}`
  }
  const words = groups.map(group => group.toString(16))
  const { start, length } = longestZeroRun(groups)
  if (length < 2) return words.join(':')
  return `${words.slice(0, start).join(':')}::${words.slice(start + length).join(':')}`
}

function groupEnd(text: string, at: number): number {
  let end = at
  while (isHexDigit(text.charCodeAt(end))) end += 1
  return end
}

function isHexDigit(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) ||
    (code >= 0x61 && code <= 0x66) ||
    (code >= 0x41 && code <= 0x46)
  )
}

type Progress = { readonly octets: Uint8Array; readonly next: number; readonly gap: number }

function withIpv4Tail(text: string, at: number, progress: Progress): Uint8Array | undefined {
  const { octets, next, gap } = progress
  const end = next + ipv4Octets
  if (end > ipv6Octets || !fillIpv4(text, at, octets.subarray(0, end))) return undefined
  return expandGap(octets, end, gap)
}

/** Moves what was read after `::` to the end. RFC 4291 section 2.2: the gap is one group at least. */
function expandGap(octets: Uint8Array, next: number, gap: number): Uint8Array | undefined {
  if (gap < 0) return next === ipv6Octets ? octets : undefined
  if (next === ipv6Octets) return undefined
  octets.copyWithin(ipv6Octets - (next - gap), gap, next)
  octets.fill(0, gap, ipv6Octets - (next - gap))
  return octets
}

function isZero(group: number): boolean {
  return group === 0
}

function longestZeroRun(groups: readonly number[]): { start: number; length: number } {
  let longest = { start: 0, length: 0 }
  for (let start = 0; start < groups.length; start += 1) {
    let length = 0
    while (groups[start + length] === 0) length += 1
    if (length > longest.length) longest = { start, length }
    start += length
  }
  return longest
}
