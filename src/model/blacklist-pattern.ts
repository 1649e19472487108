import { RE2JS, RE2JSException } from 're2js'

// A blacklist pattern is a regular expression from an operator, run against every new zone's name. RE2 runs any
// pattern in time linear in the name. Syntax that only Python or only RE2 has is refused by name instead of being
// read as something else.

/** Whether a zone's name, in lower case, matches a pattern anywhere. */
export type NameTest = (lowerName: string) => boolean

type CompiledPattern =
  | { readonly test: NameTest; readonly problem?: undefined }
  | { readonly test?: undefined; readonly problem: string }

/** Maximum steps of a compiled pattern. Each may be taken for every character of a name, so a pattern that unfolds
 *  into thousands would cost more than all others together. */
const maxProgramSize = 1000

/** Compiles a pattern, which is searched for anywhere in a name, ignoring case: names that differ only in case
 *  are one name (RFC 4343). Takes about 0.1 ms. */
export function compilePattern(pattern: string): CompiledPattern {
  const translated = translate(pattern)
  if (translated.problem !== undefined) return translated
  const { text, isLowerCase } = translated
  try {
    // In lower case both match as they stand, and RE2 can look for literals first.
    const compiled = RE2JS.compile(text, isLowerCase ? 0 : RE2JS.CASE_INSENSITIVE)
    if (compiled.programSize() > maxProgramSize) return { problem: 'its repetitions are too many' }
    // Not `compiled.test`: it keeps an automaton for each pattern, to which every new name adds.
    return { test: lowerName => compiled.matcher(lowerName).find() }
  } catch (error) {
    if (error instanceof RE2JSException) return { problem: error.message }
    throw error
  }
}

type Translation =
  | {
      /** What a pattern means in RE2's syntax, letters in lower case. */
      readonly text: string
      /** Whether the pattern matches no capital letter, neither by a class nor by an escape. */
      readonly isLowerCase: boolean
      readonly problem?: undefined
    }
  | { readonly problem: string }

/** An escape; what only Python has; a group's name or flags; the beginning of a class (a `]` that comes first is
 *  one of its characters) or its end, with a hyphen that makes no range; a range of letters or digits; or a
 *  character. */
const tokenPattern =
  /\\[pP](?:\{\^?\w+\}|\w)|\\.|\{,\d+\}|\(\?(?:<[=!]|P=|[=!>(#]|P?<\w+>|[a-z-]+[:)])|\[\^?\]?-?|-\]|[A-Z]-[A-Z]|[a-z]-[a-z]|\d-\d|./gs

function translate(pattern: string): Translation {
  const parts: string[] = []
  let isLowerCase = true
  let isInClass = false
  for (const [token] of pattern.matchAll(tokenPattern)) {
    const problem = isInClass ? undefined : problemOf(token)
    if (problem !== undefined) return { problem }
    if (isInClass ? mayHoldCapitals(token) : isCodeEscape(token)) isLowerCase = false
    parts.push(isInClass ? inLowerCase(token) : meaningOf(token))
    if (token.startsWith('[')) isInClass = true
    else if (/^-?\]$/.test(token)) isInClass = false
  }
  return { text: parts.join(''), isLowerCase }
}

function meaningOf(token: string): string {
  if (token === '\\Z') return '\\z'
  // Python reads `{,3}` as a repetition, RE2 as these characters.
  return token.startsWith('{,') ? `{0${token.slice(1)}` : inLowerCase(token)
}

/** Names are in lower case here, so a letter is replaced by its lower-case form; escapes and groups are kept. */
function inLowerCase(token: string): string {
  return /^[\\(]/.test(token) ? token : token.toLowerCase()
}

/** An escape that may be any character: `\x41`, `\101`, `\p{Lu}`. */
function isCodeEscape(token: string): boolean {
  return /^\\[0-7xpPuU]/.test(token)
}

/** In a class: such an escape, a range with other ends, or a POSIX class. */
function mayHoldCapitals(token: string): boolean {
  return isCodeEscape(token) || token === '-' || token.startsWith('[')
}

function problemOf(token: string): string | undefined {
  if (/^\(\?<?[=!]$/.test(token)) return `lookaround '${token}' is not possible in linear time`
  if (/^\\[1-9]$/.test(token) || token === '(?P=')
    return `backreference '${token}' is not possible in linear time`
  if (token === '(?(') return "conditional '(?(' is not possible in linear time"
  if (token === '(?>') return "atomic group '(?>' is not possible in linear time"
  if (token === '(?#') return "comment '(?#' is not supported"
  if (token === '\\Q' || token === '\\E') return `escape '${token}' is not supported`
  return undefined
}
