import { FormatError } from '../../format-error.ts'
import { clipText, quoteText, type Token, unescapeText } from '../../presentation.ts'
import type { Reader } from '../../reader.ts'
import type { Field } from '../field.ts'
import type { RdataWriter } from '../rdata-writer.ts'

// Values are octets, one character (0x00 to 0xff) each, as everywhere in this folder.

/** RFC 1035 section 3.3: one length octet. */
export const maxStringOctets = 255

/** One character-string. */
export const string: Field<string> = {
  decode: decodeString,
  encode: encodeString,
  parse: text => stringOf(text.next('a string')),
  format: quoteText,
}

/** One character-string at the end, or none. */
export const optionalString: Field<string | undefined> = {
  decode: reader => (reader.remainingOctets === 0 ? undefined : decodeString(reader)),
  encode(value, writer) {
    if (value !== undefined) encodeString(value, writer)
  },
  parse: text => (text.isAtEnd ? undefined : string.parse(text)),
  format: value => (value === undefined ? '' : quoteText(value)),
}

/** One or more character-strings, to the end. */
export const strings: Field<readonly string[]> = {
  decode(reader) {
    const values = [decodeString(reader)]
    while (reader.remainingOctets > 0) values.push(decodeString(reader))
    return values
  },
  encode(values, writer) {
    for (const value of values) encodeString(value, writer)
  },
  parse: text => text.rest('one or more strings').map(stringOf),
  format: values => values.map(quoteText).join(' '),
}

/** Octets as text, without a length, to the end. */
export const textRest: Field<string> = {
  decode: reader => latin1(reader.takeRest()),
  encode: (value, writer) => writer.text(value),
  parse: text => unescapeText(text.next('a text').raw),
  format: quoteText,
}

/** Returns octets as the characters 0x00 to 0xff. */
export function latin1(octets: Uint8Array): string {
  return Buffer.from(octets.buffer, octets.byteOffset, octets.length).toString('latin1')
}

function decodeString(reader: Reader): string {
  return latin1(reader.take(reader.u8()))
}

function encodeString(value: string, writer: RdataWriter): void {
  writer.u8(value.length)
  writer.text(value)
}

function stringOf(token: Token): string {
  const value = unescapeText(token.raw)
  if (value.length <= maxStringOctets) return value
  throw new FormatError(
    `a string has ${value.length} octets, at most ${maxStringOctets} are allowed: ` +
      `split '${clipText(token.raw)}' as "…" "…"`,
  )
}
