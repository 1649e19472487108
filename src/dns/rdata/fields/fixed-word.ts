import type { Field } from '../field.ts'

/** So many octets that are one word, such as an address.
 *  @param parse undefined for a word that is not what is expected */
export function fixedWord(
  fixedOctets: number,
  expected: string,
  form: {
    readonly parse: (raw: string) => Uint8Array | undefined
    readonly format: (octets: Uint8Array) => string
  },
): Field<Uint8Array> {
  return {
    fixedOctets,
    decode: reader => reader.take(fixedOctets),
    encode: (value, writer) => writer.octets(value),
    parse: text => text.nextAs(expected, form.parse),
    format: form.format,
  }
}
