import { FormatError } from './format-error.ts'

// The words of presentation form (RFC 1035 section 5.1): blank-separated tokens, quoted strings, `\X` and `\DDD`. A
// token keeps its escapes, because a name and a character-string read them differently (`\.`). The syntax of zone files
// alone (comments, parentheses, line ends) is not handled here: a zone-file scanner calls `scanToken` with the
// characters that end a token there.

/** One word. `raw` has the escapes as written, without the enclosing quotes. */
export type Token = {
  readonly raw: string
  readonly isQuoted: boolean
  /** Offset of the first character after the token, its closing quote included. */
  readonly end: number
}

/** Splits one value into tokens; `;`, `(` and `)` are ordinary characters.
 *  @throws FormatError see `scanToken`. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = []
  for (let at = skipBlanks(text, 0); at < text.length; ) {
    const token = scanToken(text, at)
    tokens.push(token)
    at = skipBlanks(text, token.end)
  }
  return tokens
}

/** Returns the offset of the first character from `at` on that is neither space nor tab. */
export function skipBlanks(text: string, at: number): number {
  let end = at
  while (isBlank(text.charCodeAt(end))) end += 1
  return end
}

/** Scans the token that starts at `at`, which is not a blank. A blank ends it, or one of `delimiters`. A
 *  quoted part may also follow `=` inside a token (RFC 9460 section 2.1, `alpn="h2,h3"`); then `raw` keeps
 *  those quotes.
 *  @throws FormatError unbalanced quote, text joined to a quoted string, a lone backslash at the end, a
 *  control character (a line end above all: printed back, it would split the record in two). */
export function scanToken(text: string, at: number, delimiters = ''): Token {
  if (text.charCodeAt(at) === quote) {
    const end = quotedEnd(text, at)
    requireTokenEnd(text, end, delimiters)
    return { raw: text.slice(at + 1, end - 1), isQuoted: true, end }
  }
  const end = plainEnd(text, at, delimiters)
  return { raw: text.slice(at, end), isQuoted: false, end }
}

/** Resolves the escapes of a token into octets, one character (0x00 to 0xff) per octet. Characters outside
 *  ASCII become their UTF-8 octets.
 *  @throws FormatError a broken escape, an unescaped quote, half a surrogate pair. */
export function unescapeText(raw: string): string {
  if (plainText.test(raw)) return raw
  if (!raw.isWellFormed()) throw new FormatError('half a surrogate pair in a text')
  let octets = ''
  for (let at = 0; at < raw.length; ) {
    const character = String.fromCodePoint(raw.codePointAt(at) as number)
    if (character === '"') throw new FormatError(`a quote must be escaped in '${clipText(raw)}'`)
    if (character !== '\\') {
      octets += utf8(character)
      at += character.length
      continue
    }
    const escaped = readEscape(raw, at)
    octets += escaped.octets
    at = escaped.end
  }
  return octets
}

/** Formats octets as a quoted string; what is not printable ASCII becomes `\DDD`. */
export function quoteText(octets: string): string {
  return plainText.test(octets) ? `"${octets}"` : `"${escapeText(octets)}"`
}

/** Escapes octets for use between quotes: `\"`, `\\`, and `\DDD` for what is not printable ASCII. */
function escapeText(octets: string): string {
  return octets.replace(notPlain, character =>
    character === '"' || character === '\\' ? `\\${character}` : decimalEscape(character),
  )
}

/** Formats one octet as `\DDD`. */
export function decimalEscape(octet: string): string {
  return `\\${String(octet.charCodeAt(0)).padStart(3, '0')}`
}

/** Bounds the input that an error message repeats. */
export function clipText(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}

const lineFeed = 0x0a
const carriageReturn = 0x0d
const quote = 0x22
const backslash = 0x5c
const equalsSign = 0x3d
const plainText = /^[ !#-[\]-~]*$/
const notPlain = /[^ !#-[\]-~]/g

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09
}

/** Returns the offset after the closing quote of the string that opens at `at`. */
function quotedEnd(text: string, at: number): number {
  for (let end = at + 1; end < text.length; end += 1) {
    const code = text.charCodeAt(end)
    if (code === quote) return end + 1
    if (code === backslash) end += 1
    requireText(text, end)
  }
  throw new FormatError(`a closing quote is missing in '${clipText(text.slice(at))}'`)
}

function plainEnd(text: string, at: number, delimiters: string): number {
  for (let end = at; end < text.length; end += 1) {
    const code = text.charCodeAt(end)
    if (isBlank(code) || delimiters.includes(text.charAt(end))) return end
    if (code === quote) return embeddedQuoteEnd(text, end, delimiters)
    if (code === backslash) end += 1
    requireText(text, end)
  }
  return text.length
}

function embeddedQuoteEnd(text: string, at: number, delimiters: string): number {
  if (text.charCodeAt(at - 1) !== equalsSign) {
    throw new FormatError(
      `a quote inside an unquoted value: quote the whole value and write the quote as \\"`,
    )
  }
  const end = quotedEnd(text, at)
  requireTokenEnd(text, end, delimiters)
  return end
}

function requireTokenEnd(text: string, at: number, delimiters: string): void {
  if (at >= text.length || isBlank(text.charCodeAt(at)) || delimiters.includes(text.charAt(at))) {
    return
  }
  throw new FormatError(
    `a blank expected after the closing quote, '${clipText(text.slice(at))}' found: an inner quote is written \\"`,
  )
}

function requireText(text: string, at: number): void {
  const code = text.charCodeAt(at)
  if (code >= 0x20 && code !== 0x7f) return
  if (code === 0x09) return
  if (Number.isNaN(code)) {
    throw new FormatError('a value ends in a single backslash: a backslash is written \\\\')
  }
  const written = decimalEscape(text.charAt(at))
  throw new FormatError(
    code === lineFeed || code === carriageReturn
      ? `a line ends within a value: a closing quote is missing, or a line break must be written as ${written}`
      : `a control character must be written as ${written}`,
  )
}

function readEscape(raw: string, at: number): { octets: string; end: number } {
  const digits = raw.slice(at + 1, at + 4)
  if (/^\d{3}$/.test(digits) && Number(digits) <= 255) {
    return { octets: String.fromCharCode(Number(digits)), end: at + 4 }
  }
  const code = raw.codePointAt(at + 1)
  if (code === undefined || /^\d/.test(digits)) {
    throw new FormatError(`a broken escape in '${clipText(raw)}': \\DDD is 000 to 255`)
  }
  const character = String.fromCodePoint(code)
  return { octets: utf8(character), end: at + 1 + character.length }
}

function utf8(character: string): string {
  return character < '\x80' ? character : Buffer.from(character, 'utf8').toString('latin1')
}
