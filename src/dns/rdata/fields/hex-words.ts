import type { Field } from '../field.ts'
import { fixedWord } from './fixed-word.ts'
import { formatHex, hexRest, octetsOfHex } from './hex.ts'

// Octets that are one word of hex digits, each kind in a form of its own.

const maxSaltOctets = 255

/** An NSEC3 salt: octets behind a length octet, as one word of hex, `-` for none (RFC 5155 section 3.3). */
export const salt: Field<Uint8Array> = {
  decode: reader => reader.take(reader.u8()),
  encode(value, writer) {
    writer.u8(value.length)
    writer.octets(value)
  },
  parse: text =>
    text.nextAs('hex digits, two for each of at most 255 octets, or -', raw => {
      const octets = raw === '-' ? new Uint8Array() : octetsOfHex(raw)
      return octets && octets.length <= maxSaltOctets ? octets : undefined
    }),
  format: value => (value.length === 0 ? '-' : formatHex(value)),
}

/** `0x47.0005.80…`: hex digits with dots anywhere between them (RFC 1706 section 7). */
export const nsapAddress: Field<Uint8Array> = {
  ...hexRest,
  parse: text =>
    text.nextAs('0x and hex digits, two for each octet', raw => {
      return /^0x/i.test(raw) ? octetsOfHex(raw.slice(2).replaceAll('.', '')) : undefined
    }),
  format: value => `0x${formatHex(value)}`,
}

/** A hardware address of six octets, `00-00-5e-00-53-2a` (RFC 7043 section 3.2). */
export const eui48Address = euiAddress(6)

/** One of eight octets (RFC 7043 section 4.2). */
export const eui64Address = euiAddress(8)

function euiAddress(octetCount: number): Field<Uint8Array> {
  const pattern = new RegExp(`^[0-9a-f]{2}(?:-[0-9a-f]{2}){${octetCount - 1}}$`, 'i')
  return fixedWord(octetCount, `${octetCount} pairs of hex digits with hyphens between them`, {
    parse: raw => (pattern.test(raw) ? octetsOfHex(raw.replaceAll('-', '')) : undefined),
    format: value => formatHex(value).replace(/..(?!$)/g, '$&-'),
  })
}

const groupPattern = /^[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){3}$/i

/** 64 bits as four groups of up to four hex digits, `14:4fff:ff20:ee64` (RFC 6742 section 2.1.2). */
export const locator64 = fixedWord(8, 'four groups of hex digits with colons between them', {
  parse(raw) {
    const groups = raw.split(':').map(group => group.padStart(4, '0'))
    return groupPattern.test(raw) ? octetsOfHex(groups.join('')) : undefined
  },
  format: value => (formatHex(value).match(/..../g) ?? []).map(withoutZeros).join(':'),
})

function withoutZeros(digits: string): string {
  return digits.replace(/^0{1,3}/, '')
}
