import { FormatError } from '../format-error.ts'
import { clipText, skipBlanks, type Token } from '../presentation.ts'
import { defineRdata } from './define-rdata.ts'
import { strings } from './fields/strings.ts'

/** RFC 1035 section 3.3.14. */
export const txt = defineRdata('TXT', { strings }, { parsePlain, valueTokens })

/** RFC 4408 section 3.1.1: TXT under another number, kept for zones that still carry it. */
export const spf = defineRdata('SPF', { strings }, { parsePlain, valueTokens })

/** Application visibility and control, an assignment without an RFC. */
export const avc = defineRdata('AVC', { strings }, { parsePlain })

/** A zone's description of itself, an assignment without an RFC. */
export const ninfo = defineRdata('NINFO', { strings }, { parsePlain })

/** RFC 9606 section 5: a resolver's capabilities, one key or `key=value` per string. */
export const resinfo = defineRdata('RESINFO', { strings }, { parsePlain })

/** A payment address, an assignment without an RFC. */
export const wallet = defineRdata('WALLET', { strings }, { parsePlain })

const plainString = /^"[ !#-[\]-~]{0,255}"$/

/** One quoted string without escapes, which nearly every TXT is. */
function parsePlain(text: string): Uint8Array | undefined {
  if (!plainString.test(text)) return undefined
  const lengthOctets = text.length - 2
  const rdata = new Uint8Array(1 + lengthOctets)
  rdata[0] = lengthOctets
  for (let i = 1; i <= lengthOctets; i += 1) rdata[i] = text.charCodeAt(i)
  return rdata
}

/** The character-strings of a value, not yet unescaped. One value is one text: without quotes it is a single string, with its blanks, as in `v=spf1 mx -all`. */
export function valueTokens(tokens: readonly Token[], text: string): readonly Token[] {
  const words = tokens.filter(token => !token.isQuoted)
  const [word] = words
  if (word === undefined) return tokens
  if (words.length < tokens.length) {
    const advice = 'a quote within a text is written \\"'
    throw new FormatError(
      `beside a quoted text must be quoted too: '${clipText(word.raw)}'; ${advice}`,
    )
  }
  if (text.endsWith('\\')) throw new FormatError('an unquoted text must not end in a backslash')
  const end = tokens.at(-1)?.end ?? 0
  return [{ raw: text.slice(skipBlanks(text, 0), end), isQuoted: true, end }]
}
