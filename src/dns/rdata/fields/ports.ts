import { FormatError } from '../../format-error.ts'
import type { Field } from '../field.ts'
import { ascending, bitmapOf, bitsIn } from './bits.ts'
import { port } from './code.ts'

const maxOctets = 8192

/** A set of ports, ascending, a bit each, without zero octets at the end; may be empty (RFC 1035 section 3.4.2). */
export const ports: Field<readonly number[]> = {
  decode(reader) {
    const at = reader.offset
    const bitmap = reader.takeRest()
    if (bitmap.length > maxOctets || bitmap.at(-1) === 0) {
      throw new FormatError(`a broken set of ports at offset ${at}`)
    }
    return bitsIn(bitmap)
  },
  encode: (all, writer) => writer.octets(bitmapOf(all)),
  parse: text => ascending(text.all(port.parse)),
  format: all => all.join(' '),
}
