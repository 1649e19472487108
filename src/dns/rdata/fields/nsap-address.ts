import type { Field } from '../field.ts'
import { formatHex, hexRest } from './hex.ts'

/** `0x47.0005.80…`: hex digits with dots anywhere between them (RFC 1706 section 7). */
export const nsapAddress: Field<Uint8Array> = {
  ...hexRest,
  parse(text) {
    const expected = '0x and hex digits, two for each octet'
    const { raw } = text.next(expected)
    const digits = raw.slice(2).replaceAll('.', '')
    const isAddress = /^0x$/i.test(raw.slice(0, 2)) && /^(?:[0-9a-f]{2})+$/i.test(digits)
    if (!isAddress) throw text.fault(expected, raw)
    return Buffer.from(digits, 'hex')
  },
  format: value => `0x${formatHex(value)}`,
}
