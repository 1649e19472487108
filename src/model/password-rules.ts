import { RE2JS, RE2JSException } from 're2js'

// What a new password must be like, as Keystone's [security_compliance] says it. Passwords that exist are not looked
// at: they go on working until they are changed.

/** What new passwords must be like. */
export type PasswordRules = {
  /** Characters. */
  readonly minLength: number
  /** Keystone's `password_regex`. */
  readonly regex: string | undefined
  /** What to tell whoever's password does not match it; the expression itself where nothing is said. */
  readonly description: string | undefined
}

/** What is wrong with a new password; undefined when nothing is. */
export type PasswordCheck = (password: string) => string | undefined

export type CompiledPasswordRegex =
  | { readonly test: (password: string) => boolean; readonly problem?: undefined }
  | { readonly test?: undefined; readonly problem: string }

/** Makes the check of new passwords.
 *  @throws Error the expression is one that `compilePasswordRegex` does not take */
export function passwordCheck({ minLength, regex, description }: PasswordRules): PasswordCheck {
  const { test, problem } = compilePasswordRegex(regex ?? '')
  if (test === undefined) throw new Error(problem)
  return password => {
    if ([...password].length < minLength) return `it must have at least ${minLength} characters`
    return test(password) ? undefined : (description ?? `it must match ${regex}`)
  }
}

/** Compiles a regular expression that passwords must match from their beginning, as Keystone has it. It takes linear
 *  time, so lookarounds are not possible, except where such expressions have them: at the very beginning, as in
 *  Keystone's own example `^(?=.*\d)(?=.*[a-zA-Z]).{7,}$`. These are conditions of their own. */
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

/** Where the group that a text begins with is closed. */
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
