import type { Field } from '../field.ts'

const octetCount = 8
const groupPattern = /^[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){3}$/i

/** 64 bits as four groups of up to four hex digits, `14:4fff:ff20:ee64` (RFC 6742 section 2.1.2). */
export const locator64: Field<Uint8Array> = {
  fixedOctets: octetCount,
  decode: reader => reader.take(octetCount),
  encode: (value, writer) => writer.octets(value),
  parse(text) {
    const expected = 'four groups of hex digits with colons between them'
    const { raw } = text.next(expected)
    if (!groupPattern.test(raw)) throw text.fault(expected, raw)
    const groups = raw.split(':').map(group => group.padStart(4, '0'))
    return Buffer.from(groups.join(''), 'hex')
  },
  format(value) {
    const groups: string[] = []
    for (let at = 0; at < octetCount; at += 2) {
      groups.push((((value[at] ?? 0) << 8) | (value[at + 1] ?? 0)).toString(16))
    }
    return groups.join(':')
  },
}
