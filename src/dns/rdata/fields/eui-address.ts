import type { Field } from '../field.ts'

/** A hardware address of six octets, `00-00-5e-00-53-2a` (RFC 7043 section 3.2). */
export const eui48Address = euiAddress(6)

/** One of eight octets (RFC 7043 section 4.2). */
export const eui64Address = euiAddress(8)

function euiAddress(octetCount: number): Field<Uint8Array> {
  const pattern = new RegExp(`^[0-9a-f]{2}(?:-[0-9a-f]{2}){${octetCount - 1}}$`, 'i')
  return {
    fixedOctets: octetCount,
    decode: reader => reader.take(octetCount),
    encode: (value, writer) => writer.octets(value),
    parse(text) {
      const expected = `${octetCount} pairs of hex digits with hyphens between them`
      const { raw } = text.next(expected)
      if (!pattern.test(raw)) throw text.fault(expected, raw)
      return Buffer.from(raw.replaceAll('-', ''), 'hex')
    },
    format: value => [...value].map(octet => octet.toString(16).padStart(2, '0')).join('-'),
  }
}
