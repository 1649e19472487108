import type { Field } from '../field.ts'
import { typeCode, typeMnemonic } from '../mnemonic.ts'
import { u16 } from './integers.ts'

/** One type, by its mnemonic. */
export const coveredType: Field<number> = {
  ...u16,
  parse: text => text.nextAs('a type such as MX or TYPE15', typeCode),
  format: typeMnemonic,
}
