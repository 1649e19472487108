import { FormatError } from '../../format-error.ts'
import { formatName, isPlainName, type Name, parseName } from '../../name.ts'
import { clipText } from '../../presentation.ts'
import type { Field } from '../field.ts'
import { listOf } from './list-of.ts'

/** A name that is sent uncompressed. A compressed name is accepted, as RFC 3597 section 4 asks of receivers. */
export const name: Field<Name> = {
  decode: reader => reader.name(),
  encode: (value, writer) => writer.text(value),
  parse(text) {
    const expected = 'a domain name'
    const { raw, isQuoted } = text.next(expected)
    if (isQuoted) throw text.fault(`${expected} without quotes`, raw)
    // Only a zone file has an origin.
    return text.origin === undefined ? parseName(raw) : parseNameOfFile(raw, text.origin)
  },
  format: formatName,
}

/** A name of an RFC 1035 type, which may be sent compressed. */
export const compressedName: Field<Name> = { ...name, isCompressible: true }

/** Names to the end, uncompressed; may be none. */
export const names = listOf(name)

/** Parses a name of a zone file, where a dollar belongs to a directive or to $GENERATE and is otherwise written `\$`.
 *  @throws FormatError as `parseName`, and a bare dollar */
export function parseNameOfFile(raw: string, origin: Name | undefined): Name {
  if (!bareDollar.test(raw)) return parseName(raw, origin)
  throw new FormatError(`a dollar in a name is written \\$, as it is not in '${clipText(raw)}'`)
}

/** Parses a value that is a single name in its usual spelling; undefined leaves it to the field. */
export function parseLoneName(text: string): Uint8Array | undefined {
  if (!isPlainName(text)) return undefined
  const octets = new Uint8Array(text.length + 1)
  let lengthAt = 0
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i)
    octets[i + 1] = code
    if (code !== dot) continue
    octets[lengthAt] = i - lengthAt
    lengthAt = i + 1
  }
  octets[lengthAt] = 0
  return octets
}

const dot = 0x2e
const bareDollar = /^(?:[^$\\]|\\.)*\$/
