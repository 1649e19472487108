import type { Field } from '../field.ts'
import { formatHex, octetsOfHex, takeSome } from './hex.ts'
import { latin1 } from './strings.ts'

/** The address of an ATM end system: of format 0 as hex, of format 1 (E.164) as `+` and decimal digits. */
type AtmAddress = { readonly format: number; readonly octets: Uint8Array }

export const atmAddress: Field<AtmAddress> = {
  decode: reader => ({ format: reader.u8(), octets: takeSome(reader) }),
  encode({ format, octets }, writer) {
    writer.u8(format)
    writer.octets(octets)
  },
  parse: text =>
    text.nextAs('hex digits, two for each octet, or + and a telephone number', raw => {
      if (/^\+\d+$/.test(raw)) return { format: 1, octets: Buffer.from(raw.slice(1), 'latin1') }
      const octets = raw.startsWith('.') ? undefined : octetsOfHex(raw.replaceAll('.', ''))
      return octets && { format: 0, octets }
    }),
  format: ({ format, octets }) => (format === 1 ? `+${latin1(octets)}` : formatHex(octets)),
}

/** Describes octets that cannot be written as an address. */
export function findAtmFault({ format, octets }: AtmAddress): string | undefined {
  if (format > 1) return `no address of format ${format} is known`
  const isNumber = format === 0 || /^\d+$/.test(latin1(octets))
  return isNumber ? undefined : 'a telephone number has digits only'
}
