import { FormatError } from '../../format-error.ts'
import type { Field } from '../field.ts'
import { typeMnemonic } from '../mnemonic.ts'
import type { RdataText } from '../rdata-text.ts'
import { ascending, bitmapOf, bitsIn } from './bits.ts'
import { coveredType } from './type-code.ts'

const maxWindowOctets = 32

/** A set of types, ascending, to the end; may be empty. RFC 4034 section 4.1.2: windows of 256 types, each with a bitmap of 1 to
 *  32 octets, in ascending order. */
export const typeBitmap: Field<readonly number[]> = {
  decode(reader) {
    const codes: number[] = []
    let lastWindow = -1
    while (reader.remainingOctets > 0) {
      const at = reader.offset
      const window = reader.u8()
      const bitmap = reader.take(reader.u8())
      if (window <= lastWindow) throw new FormatError(`type windows out of order at offset ${at}`)
      if (bitmap.length === 0 || bitmap.length > maxWindowOctets || bitmap.at(-1) === 0) {
        throw new FormatError(`a type window must have 1 to 32 octets, the last not zero, at ${at}`)
      }
      lastWindow = window
      for (const type of bitsIn(bitmap)) codes.push((window << 8) | type)
    }
    return codes
  },
  encode(codes, writer) {
    for (const [window, members] of Map.groupBy(codes, code => code >>> 8)) {
      const bitmap = bitmapOf(members.map(code => code & 0xff))
      writer.u8(window)
      writer.u8(bitmap.length)
      writer.octets(bitmap)
    }
  },
  parse: text => ascending(text.all(coveredType.parse)),
  format: formatTypes,
}

const maxLowOctets = 16

/** A set of types below 128, a bit each (RFC 2535 section 5.2), later replaced by NSEC's windows. */
export const lowTypes: Field<readonly number[]> = {
  decode(reader) {
    const at = reader.offset
    const bitmap = reader.takeRest()
    // Type 0 would mean that the bitmap has another form.
    const isBitmap =
      bitmap.length <= maxLowOctets && bitmap.at(-1) !== 0 && ((bitmap[0] ?? 0) & 0x80) === 0
    if (!isBitmap) throw new FormatError(`a broken set of types at offset ${at}`)
    return bitsIn(bitmap)
  },
  encode: (codes, writer) => writer.octets(bitmapOf(codes)),
  parse: text => ascending(text.all(parseLowType)),
  format: formatTypes,
}

function parseLowType(text: RdataText): number {
  const code = coveredType.parse(text)
  if (code > 0 && code < 8 * maxLowOctets) return code
  throw text.fault('types 1 to 127', `TYPE${code}`)
}

function formatTypes(codes: readonly number[]): string {
  return codes.map(typeMnemonic).join(' ')
}
