import { FormatError } from '../../format-error.ts'
import type { Field } from '../field.ts'
import { typeMnemonic } from '../mnemonic.ts'
import { coveredType } from './type-code.ts'

const maxOctets = 16

/** A set of types below 128, a bit each, without zero octets at the end (RFC 2535 section 5.2), later replaced by NSEC's
 *  windows. */
export const lowTypes: Field<readonly number[]> = {
  decode(reader) {
    const at = reader.offset
    const bitmap = reader.takeRest()
    // Type 0 would mean that the bitmap has another form.
    const isBitmap =
      bitmap.length <= maxOctets && bitmap.at(-1) !== 0 && ((bitmap[0] ?? 0) & 0x80) === 0
    if (!isBitmap) throw new FormatError(`a broken set of types at offset ${at}`)
    const codes: number[] = []
    bitmap.forEach((octet, index) => {
      for (let bit = 0; bit < 8; bit += 1) {
        if ((octet & (0x80 >>> bit)) !== 0) codes.push((index << 3) | bit)
      }
    })
    return codes
  },
  encode(codes, writer) {
    const bitmap = new Uint8Array(codes.length === 0 ? 0 : Math.floor(Math.max(...codes) / 8) + 1)
    for (const code of codes) {
      bitmap[code >>> 3] = (bitmap[code >>> 3] ?? 0) | (0x80 >>> (code & 7))
    }
    writer.octets(bitmap)
  },
  parse(text) {
    const codes = new Set<number>()
    while (!text.isAtEnd) {
      const code = coveredType.parse(text)
      if (code === 0 || code >= 8 * maxOctets) throw text.fault('types 1 to 127', `TYPE${code}`)
      codes.add(code)
    }
    return [...codes].sort((left, right) => left - right)
  },
  format: codes => codes.map(typeMnemonic).join(' '),
}
