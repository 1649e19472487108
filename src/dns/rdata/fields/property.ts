import { FormatError } from '../../format-error.ts'
import { unescapeText } from '../../presentation.ts'
import type { Field } from '../field.ts'
import { latin1, textRest } from './strings.ts'

/** The tag of a CAA property, behind a length octet (RFC 8659 section 4.1). */
export const propertyTag: Field<string> = {
  decode(reader) {
    const at = reader.offset
    const tag = latin1(reader.take(reader.u8()))
    if (!lettersAndDigits.test(tag)) {
      throw new FormatError(`a property tag must be letters and digits at offset ${at}`)
    }
    return tag
  },
  encode(value, writer) {
    writer.u8(value.length)
    writer.text(value)
  },
  parse(text) {
    const expected = 'a tag of letters and digits'
    const { raw, isQuoted } = text.next(expected)
    if (isQuoted || !lettersAndDigits.test(raw)) throw text.fault(expected, raw)
    return raw
  },
  format: String,
}

/** The value of a CAA property. Written without quotes it may have blanks in it (`0 issue ca.example;
 *  policy=ev`), as other servers' interfaces have it; it is always written back in quotes. */
export const propertyValue: Field<string> = {
  ...textRest,
  parse(text) {
    const words = text.rest('a value')
    const quoted = words.find(word => word.isQuoted)
    if (quoted !== undefined && words.length > 1) {
      throw text.fault('one quoted value', words.map(word => word.raw).join(' '))
    }
    return words.map(word => unescapeText(word.raw)).join(' ')
  },
}

const lettersAndDigits = /^[A-Za-z0-9]{1,255}$/
