import { RE2JS, RE2JSException } from 're2js'

// Rules for new passwords, in the terms of Keystone's [security_compliance]. Existing passwords are not checked:
// they keep working until they are changed.

/** Rules for new passwords. */
export type PasswordRules = {
  /** Characters. */
  readonly minLength: number
  /** Keystone's `password_regex`. */
  readonly regex: string | undefined
  /** The message when a password does not match; the expression itself if undefined. */
  readonly description: string | undefined
}

/** Returns what is wrong with a new password; undefined: nothing. */
export type PasswordCheck = (password: string) => string | undefined

type CompiledPasswordRegex =
  | { readonly test: (password: string) => boolean; readonly problem?: undefined }
  | { readonly test?: undefined; readonly problem: string }

/** Creates the check of new passwords.
 *  @throws Error `compilePasswordRegex` does not accept the expression */
export function passwordCheck({ minLength, regex, description }: PasswordRules): PasswordCheck {
  const { test, problem } = compilePasswordRegex(regex ?? '')
  if (test === undefined) throw new Error(problem)
  return password => {
    if ([...password].length < minLength) return `it must have at least ${minLength} characters`
    return test(password) ? undefined : (description ?? `it must match ${regex}`)
  }
}

/** Compiles a regular expression that passwords must match from their beginning, as in Keystone. Matching takes linear
 *  time, so lookarounds are not supported, except where such expressions usually have them: at the very beginning, as
 *  in Keystone's own example `^(?=.*\d)(?=.*[a-zA-Z]).{7,}$`. These are checked as separate conditions. */
export function compilePasswordRegex(regex: string): CompiledPasswordRegex {
  const { conditions, rest } = withoutLookaheads(regex.replace(/^\^/, ''))
  try {
    const wanted = [...conditions, { body: rest, isWanted: true }].map(({ body, isWanted }) => {
      const compiled = RE2JS.compile(`^(?:${body})`)
      return (password: string) => compiled.matcher(password).find() === isWanted
    })
    return { test: password => wanted.every(isMet => isMet(password)) }
  } catch (error) {
    if (error instanceof RE2JSException) return { problem: error.message }
    throw error
  }
}

type Condition = { readonly body: string; readonly isWanted: boolean }

function withoutLookaheads(regex: string): {
  readonly conditions: readonly Condition[]
  readonly rest: string
} {
  const conditions: Condition[] = []
  let rest = regex
  while (/^\(\?[=!]/.test(rest)) {
    const end = endOfGroup(rest)
    if (end === undefined) break
    conditions.push({ body: rest.slice(3, end), isWanted: rest[2] === '=' })
    rest = rest.slice(end + 1)
  }
  return { conditions, rest }
}

/** The end of the group that a text begins with. */
function endOfGroup(text: string): number | undefined {
  let depth = 0
  // An escape, a class (a `]` that comes first is one of its characters), or a bracket.
  for (const { 0: token, index } of text.matchAll(/\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[()]/gs)) {
    if (token === '(') depth += 1
    if (token === ')') depth -= 1
    if (depth === 0) return index
  }
  return undefined
}
