import { fixedWord } from './fixed-word.ts'

export const ipv4Octets = 4

/** An IPv4 address as a dotted quad. */
export const ipv4 = fixedWord(ipv4Octets, 'an IPv4 address', {
  parse: parseIpv4,
  format: formatIpv4,
})

/** Parses four decimal numbers without leading zeros (which elsewhere mean octal); undefined for anything
 *  else. */
export function parseIpv4(text: string): Uint8Array | undefined {
  const octets = new Uint8Array(ipv4Octets)
  return fillIpv4(text, 0, octets) ? octets : undefined
}

/** Parses `text` from `at` on into the last four of `octets`; false where it is no IPv4 address. */
export function fillIpv4(text: string, at: number, octets: Uint8Array): boolean {
  let next = octets.length - ipv4Octets
  let value = 0
  let digits = 0
  for (let i = at; i <= text.length; i += 1) {
    const digit = text.charCodeAt(i) - 0x30
    if (digit >= 0 && digit <= 9) {
      if (digits > 0 && value === 0) return false
      value = value * 10 + digit
      digits += 1
      if (value > 255) return false
      continue
    }
    if (digits === 0 || next === octets.length) return false
    if (i < text.length && text.charAt(i) !== '.') return false
    octets[next] = value
    next += 1
    value = 0
    digits = 0
  }
  return next === octets.length
}

/** Formats the four octets from `at` on. */
export function formatIpv4(octets: Uint8Array, at = 0): string {
  return `${octets[at]}.${octets[at + 1]}.${octets[at + 2]}.${octets[at + 3]}`
}
