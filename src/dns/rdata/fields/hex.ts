import type { Reader } from '../../reader.ts'
import type { Field } from '../field.ts'
import type { RdataText } from '../rdata-text.ts'

/** Octets to the end, at least one, as hex that may be split by blanks. */
export const hexRest: Field<Uint8Array> = {
  decode: takeSome,
  encode: (value, writer) => writer.octets(value),
  parse: parseHex,
  format: formatHex,
}

/** Takes all that is left, at least one octet.
 *  @throws FormatError nothing is left. */
export function takeSome(reader: Reader): Uint8Array {
  return reader.take(Math.max(1, reader.remainingOctets))
}

/** Reads all tokens that are left as hex.
 *  @throws FormatError another character, or half an octet. */
export function parseHex(text: RdataText): Uint8Array {
  return text.restAs('hex digits, two for each octet', octetsOfHex)
}

/** Parses pairs of hex digits, at least one; undefined for anything else. */
export function octetsOfHex(digits: string): Uint8Array | undefined {
  return hexOctets.test(digits) ? Buffer.from(digits, 'hex') : undefined
}

export function formatHex(octets: Uint8Array): string {
  return Buffer.from(octets.buffer, octets.byteOffset, octets.length).toString('hex')
}

const hexOctets = /^(?:[0-9a-f]{2})+$/i
