import { FormatError } from '../../format-error.ts'
import { type Token, unescapeText } from '../../presentation.ts'
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
  parse: text =>
    text.nextAs('a tag of letters and digits', (raw, isQuoted) => {
      return isQuoted || !lettersAndDigits.test(raw) ? undefined : raw
    }),
  format: String,
}

/** The value of a CAA property, one word or quoted; it is always written back in quotes. In values without quotes only
 *  the text after a `;` may have blanks (`0 issue ca.example; policy=ev`), as in other servers' interfaces: any other
 *  second word is a mistake that would let a wrong certificate be issued. */
export const propertyValue: Field<string> = {
  ...textRest,
  parse(text) {
    const words = text.rest('a value')
    const isOne = words.length === 1 || hasParameters(words)
    if (!isOne) throw text.fault('one value, in quotes', words.map(word => word.raw).join(' '))
    return words.map(word => unescapeText(word.raw)).join(' ')
  },
}

function hasParameters(words: readonly Token[]): boolean {
  const isBare = words.every(word => !word.isQuoted)
  return isBare && words.slice(0, -1).some(word => word.raw.endsWith(';'))
}

const lettersAndDigits = /^[A-Za-z0-9]{1,255}$/
