// Patterns of filters: without regard to case, `*` for any run of characters, nothing else special. Both the pattern and the
// values, of up to 300,000 characters, come from outside, and a list tests thousands of values.

/** Returns whether a value matches a pattern, in time proportional to the value's length.
 *  @param one the wildcard for exactly one character, if there is one: a part of the pattern that has it takes time
 *  proportional to value times part */
export function patternMatcher(pattern: string, one?: string): (value: string) => boolean {
  const parts = pattern.toLowerCase().split('*')
  const [first, ...others] = parts.map(part => partOf(part, one)) as [Part, ...Part[]]
  const last = others.pop()
  return value => {
    const text = value.toLowerCase()
    if (last === undefined) return text.length === first.length && first.isAt(text, 0)
    const lastAt = text.length - last.length
    if (lastAt < first.length || !first.isAt(text, 0) || !last.isAt(text, lastAt)) return false
    let at = first.length
    for (const part of others) at = part.endIn(text, at)
    return at <= lastAt
  }
}

/** What stands between two stars. */
type Part = {
  readonly length: number
  isAt(text: string, at: number): boolean
  /** Where its first occurrence from a place on ends; infinite where there is none. */
  endIn(text: string, from: number): number
}

function partOf(part: string, one: string | undefined): Part {
  const { length } = part
  if (one !== undefined && part.includes(one)) return partWithWildcard(part, one)
  const shorter = shorterPrefixes(part)
  return {
    length,
    isAt: (text, at) => text.startsWith(part, at),
    // Knuth, Morris and Pratt: no character is looked at again, unlike in `indexOf`.
    endIn(text, from) {
      let matched = 0
      for (let at = from; matched < length; at += 1) {
        if (at >= text.length) return Number.POSITIVE_INFINITY
        while (matched > 0 && part[matched] !== text[at]) matched = shorter[matched - 1] as number
        if (part[matched] === text[at]) matched += 1
        if (matched === length) return at + 1
      }
      return from
    },
  }
}

/** Of each prefix, the length of the longest shorter one that it ends in. */
function shorterPrefixes(part: string): Uint32Array {
  const shorter = new Uint32Array(part.length)
  let matched = 0
  for (let at = 1; at < part.length; at += 1) {
    while (matched > 0 && part[matched] !== part[at]) matched = shorter[matched - 1] as number
    if (part[matched] === part[at]) matched += 1
    shorter[at] = matched
  }
  return shorter
}

function partWithWildcard(part: string, one: string): Part {
  const { length } = part
  const isAt = (text: string, at: number) => {
    for (let i = 0; i < length; i += 1)
      if (part[i] !== one && part[i] !== text[at + i]) return false
    return true
  }
  return {
    length,
    isAt,
    endIn(text, from) {
      for (let at = from; at + length <= text.length; at += 1)
        if (isAt(text, at)) return at + length
      return Number.POSITIVE_INFINITY
    },
  }
}
