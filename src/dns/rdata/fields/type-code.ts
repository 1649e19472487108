import type { Field } from '../field.ts'
import { typeCode, typeMnemonic } from '../mnemonic.ts'
import { u16 } from './integers.ts'

/** One type, by its mnemonic. */
export const coveredType: Field<number> = {
  ...u16,
  parse(text) {
    const expected = 'a type such as MX or TYPE15'
    const { raw } = text.next(expected)
    const code = typeCode(raw)
    if (code === undefined) throw text.fault(expected, raw)
    return code
  },
  format: typeMnemonic,
}
