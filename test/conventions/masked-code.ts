// A scanner that knows just enough of TypeScript to tell code from comments and texts, so that a check for a
// word does not trip over a sentence about it. The compiler has no interface that could do this.

const regexpMayFollow = /(?:^|[=(,:;!&|?{}[+\-*%<>~^]|\b(?:return|typeof|case|in|of|=>))\s*$/

type Span = { readonly end: number; readonly isCode: boolean }

/** Blanks comments, texts and regular expressions; what is left stands where it stood. Code inside `${}` of a
 *  template stays. */
export function maskedCode(source: string): string {
  let masked = ''
  const templateDepths: number[] = []
  let depth = 0
  while (masked.length < source.length) {
    const start = masked.length
    const character = source.charAt(start)
    if (character === '{') depth += 1
    if (character === '}') depth -= 1
    const isTemplateAgain = character === '}' && templateDepths.at(-1) === depth
    if (isTemplateAgain) templateDepths.pop()
    const { end, isCode } =
      character === '`' || isTemplateAgain
        ? { end: templateEnd(source, start + 1), isCode: false }
        : spanAt(source, start, masked)
    masked += isCode ? source.slice(start, end) : blank(source.slice(start, end))
    if ((character === '`' || isTemplateAgain) && source.startsWith('${', end - 2)) {
      templateDepths.push(depth)
      depth += 1
    }
  }
  return masked
}

function spanAt(source: string, start: number, before: string): Span {
  if (source.startsWith('//', start)) return { end: endOf(source, start, /$/m), isCode: false }
  if (source.startsWith('/*', start))
    return { end: endOf(source, start + 2, /\*\//), isCode: false }
  const character = source.charAt(start)
  if (character === "'" || character === '"') {
    const closing = character === "'" ? /(?<!\\)(?:\\\\)*'/ : /(?<!\\)(?:\\\\)*"/
    return { end: endOf(source, start + 1, closing), isCode: false }
  }
  if (character === '/' && regexpMayFollow.test(before.slice(-80)))
    return {
      end: endOf(source, start, /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+\//),
      isCode: false,
    }
  return { end: start + 1, isCode: true }
}

/** Behind the closing backtick, or behind the `${` that comes first. */
function templateEnd(source: string, start: number): number {
  return endOf(source, start, /(?<!\\)(?:\\\\)*(?:`|\$\{)/)
}

function endOf(source: string, start: number, closing: RegExp): number {
  const found = closing.exec(source.slice(start))
  return found === null ? source.length : start + found.index + found[0].length
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ')
}
