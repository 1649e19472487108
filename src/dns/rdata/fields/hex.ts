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
  const expected = 'hex digits, two for each octet'
  const digits = text
    .rest(expected)
    .map(token => token.raw)
    .join('')
  if (!hexOctets.test(digits)) throw text.fault(expected, digits)
  return Buffer.from(digits, 'hex')
}

export function formatHex(octets: Uint8Array): string {
  return Buffer.from(octets.buffer, octets.byteOffset, octets.length).toString('hex')
}

const hexOctets = /^(?:[0-9a-f]{2})+$/i
