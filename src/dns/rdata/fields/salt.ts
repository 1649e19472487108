import type { Field } from '../field.ts'
import { formatHex } from './hex.ts'

/** An NSEC3 salt: octets behind a length octet, as one word of hex, `-` for none (RFC 5155 section 3.3). */
export const salt: Field<Uint8Array> = {
  decode: reader => reader.take(reader.u8()),
  encode(value, writer) {
    writer.u8(value.length)
    writer.octets(value)
  },
  parse(text) {
    const expected = 'hex digits, two for each of at most 255 octets, or -'
    const { raw } = text.next(expected)
    if (raw === '-') return new Uint8Array()
    if (!saltDigits.test(raw)) throw text.fault(expected, raw)
    return Buffer.from(raw, 'hex')
  },
  format: value => (value.length === 0 ? '-' : formatHex(value)),
}

const saltDigits = /^(?:[0-9a-f]{2}){1,255}$/i
