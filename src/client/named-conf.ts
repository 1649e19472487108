import { ClientError } from './client-error.ts'

// Parses BIND's configuration as far as needed to find its zones (named.conf(5)).

/** `zone "example.com" IN { … };`: its words, and the statements between the braces. */
export type Statement = { readonly words: readonly string[]; readonly body: readonly Statement[] }

/** Comments, quoted strings, punctuation and words. */
const tokens = /\/\*[\s\S]*?\*\/|(?:\/\/|#).*|"((?:[^"\\]|\\[\s\S])*)"|([{};])|[^\s{};"]+/g

/** Where the files of a configuration are. */
export type ConfFiles = {
  /** Resolves to undefined where there is no such file. */
  readonly readText: (path: string) => Promise<string | undefined>
  /** The files that a pattern matches. */
  readonly filesLike: (pattern: string) => readonly string[]
}

/** Reads the statements of a configuration, including those of included files.
 *  @param includedBy the files that lead to this one
 *  @throws ClientError braces do not match, or the file or an included one cannot be read or includes itself */
export async function readNamedConf(
  path: string,
  files: ConfFiles,
  includedBy: readonly string[] = [],
): Promise<readonly Statement[]> {
  if (includedBy.includes(path)) throw new ClientError(`${path} includes itself`)
  const text = await files.readText(path)
  if (text === undefined) throw new ClientError(`${path} cannot be read`)
  return withIncluded(parse(path, text), files, [...includedBy, path])
}

async function withIncluded(
  statements: readonly Statement[],
  files: ConfFiles,
  includedBy: readonly string[],
): Promise<readonly Statement[]> {
  const all: Statement[] = []
  for (const { words, body } of statements) {
    const [keyword, file] = words
    if (keyword !== 'include' || file === undefined)
      all.push({ words, body: await withIncluded(body, files, includedBy) })
    else
      for (const path of included(file, files, includedBy))
        all.push(...(await readNamedConf(path, files, includedBy)))
  }
  return all
}

/** BIND expands patterns, and refuses one that matches no file. In a copy without subdirectories a pattern may match the file
 *  that has it. */
function included(
  file: string,
  { filesLike }: ConfFiles,
  includedBy: readonly string[],
): readonly string[] {
  const matching = /[*?[]/.test(file) ? filesLike(file) : []
  const found = matching.filter(path => !includedBy.includes(path))
  return found.length > 0 ? found : [file]
}

function parse(path: string, text: string): readonly Statement[] {
  type Open = { words: string[]; body: Statement[] }
  const outer: Open[] = []
  let statements: Statement[] = []
  let open: Open = { words: [], body: [] }
  for (const [token, quoted, mark] of text.matchAll(tokens)) {
    if (quoted !== undefined) open.words.push(quoted.replaceAll(/\\([\s\S])/g, '$1'))
    else if (mark === '{') {
      outer.push({ words: open.words, body: statements })
      statements = []
      open = { words: [], body: [] }
    } else if (mark === '}') {
      const { words, body } = outer.pop() ?? unbalanced(path)
      open = { words, body: statements }
      statements = body
    } else if (mark === ';') {
      if (open.words.length > 0) statements.push(open)
      open = { words: [], body: [] }
    } else if (!isComment(token)) open.words.push(token)
  }
  if (outer.length > 0) unbalanced(path)
  return statements
}

function isComment(token: string): boolean {
  return token.startsWith('#') || token.startsWith('//') || token.startsWith('/*')
}

function unbalanced(path: string): never {
  throw new ClientError(`the braces of ${path} do not match`)
}

/** The words after a keyword among statements, such as the path after `file`. */
export function wordsBehind(keyword: string, statements: readonly Statement[]): readonly string[] {
  return statements.find(({ words }) => words[0] === keyword)?.words.slice(1) ?? []
}
