import { FormatError } from '../format-error.ts'
import { clipText, type Token } from '../presentation.ts'
import { defineRdata } from './define-rdata.ts'
import { strings } from './fields/strings.ts'

/** RFC 1035 section 3.3.14. */
export const txt = defineRdata('TXT', { strings }, { parsePlain, requireValueForm })

/** RFC 4408 section 3.1.1: TXT under another number, kept for zones that still carry it. */
export const spf = defineRdata('SPF', { strings }, { parsePlain, requireValueForm })

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

/** Blanks outside quotes are nearly always a forgotten quote: as two strings the value would lose them. */
function requireValueForm(tokens: readonly Token[]): void {
  const word = tokens.find(token => !token.isQuoted)
  if (word === undefined) return
  if (tokens.length > 1) {
    throw new FormatError(`a text with blanks must be quoted: "…" around '${clipText(word.raw)}'`)
  }
  if (word.raw.endsWith('\\')) {
    throw new FormatError('an unquoted text must not end in a backslash')
  }
}
