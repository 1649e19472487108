import { FormatError } from '../../format-error.ts'
import type { Field } from '../field.ts'

const alphabet = '0123456789abcdefghijklmnopqrstuv'
const maxOctets = 255

/** One octet or more behind a length octet, as base32 with the extended hex alphabet and no padding
 *  (RFC 5155 sections 3.2 and 3.3). */
export const base32hex: Field<Uint8Array> = {
  decode(reader) {
    const at = reader.offset
    const lengthOctets = reader.u8()
    if (lengthOctets === 0) throw new FormatError(`an empty hash at offset ${at}`)
    return reader.take(lengthOctets)
  },
  encode(value, writer) {
    writer.u8(value.length)
    writer.octets(value)
  },
  parse: text =>
    text.nextAs('base32hex', raw => {
      const octets = parseBase32hex(raw)
      return octets && octets.length > 0 && octets.length <= maxOctets ? octets : undefined
    }),
  format: formatBase32hex,
}

/** Parses either case without padding; undefined for anything else. */
export function parseBase32hex(text: string): Uint8Array | undefined {
  const octets = new Uint8Array(Math.floor((text.length * 5) / 8))
  let bits = 0
  let bitCount = 0
  let next = 0
  for (const character of text.toLowerCase()) {
    const digit = alphabet.indexOf(character)
    if (digit < 0) return undefined
    bits = ((bits << 5) | digit) & 0xfff
    bitCount += 5
    if (bitCount < 8) continue
    bitCount -= 8
    octets[next] = bits >>> bitCount
    next += 1
  }
  // Five bits or more left over are a character too many.
  return bitCount < 5 ? octets : undefined
}

export function formatBase32hex(octets: Uint8Array): string {
  let text = ''
  let bits = 0
  let bitCount = 0
  for (const octet of octets) {
    bits = ((bits << 8) | octet) & 0xfff
    bitCount += 8
    while (bitCount >= 5) {
      bitCount -= 5
      text += alphabet.charAt((bits >>> bitCount) & 31)
    }
  }
  return bitCount === 0 ? text : text + alphabet.charAt((bits << (5 - bitCount)) & 31)
}
