import { quoteText, tokenize, unescapeText } from '../presentation.ts'
import { maxStringOctets } from './fields/strings.ts'
import { valueTokens } from './txt.ts'

/** Splits texts of a TXT value in presentation form that are too long for one character-string, such as a DKIM key, into
 *  several; programs that read TXT join them again (RFC 7208 section 3.3, RFC 6376 section 3.6.2.2). Returns a value
 *  without such texts unchanged.
 *  @throws FormatError it is not a TXT value. */
export function splitText(text: string): string {
  const strings = valueTokens(tokenize(text), text).map(({ raw }) => unescapeText(raw))
  if (strings.every(({ length }) => length <= maxStringOctets)) return text
  return strings.flatMap(piecesOf).map(quoteText).join(' ')
}

function piecesOf(octets: string): readonly string[] {
  const pieces: string[] = []
  for (let at = 0; at < octets.length || at === 0; at += maxStringOctets) {
    pieces.push(octets.slice(at, at + maxStringOctets))
  }
  return pieces
}
