import { stripTypeScriptTypes } from 'node:module'
import { findTargets } from './imports.ts'
import { maskedCode } from './masked-code.ts'
import type { SourceFile } from './source-tree.ts'

/** Folders of tests that mirror no folder of src. */
const freeFolders = [
  'conformance',
  'contract',
  'conventions',
  'helpers',
  'hostile',
  'peers',
  'regress',
  'scenarios',
  'scripts',
  'system',
]

/** Names what has no test where a reader would look for it. A file's own test is `test/<same path>.test.ts`.
 *  Without one: what other folders of src use must be named by a test of its folder, and what only its own folder
 *  uses must at least be reached by one. A file of types alone needs none.
 *
 *  @param files all of src and test */
export function untestedSources(files: readonly SourceFile[]): readonly string[] {
  const graph = new Map(files.map(file => [file.path, findTargets(file)]))
  const sources = files.filter(({ path }) => path.startsWith('src/') && path.endsWith('.ts'))
  const testsOf = Map.groupBy(files.map(({ path }) => path).filter(isTest), path =>
    unitOf(path.replace('.test.ts', '.ts')),
  )
  return sources.flatMap(source => {
    const { path } = source
    if (graph.has(ownTest(path)) || isTypesOnly(source)) return []
    const tests = testsOf.get(unitOf(path)) ?? []
    const isNamed = tests.some(test => graph.get(test)?.includes(path))
    if (isNamed) return []
    if (isInterface(path, graph)) return [`${path} is used by other folders and has no test`]
    return tests.some(test => reaches(test, path, graph)) ? [] : [`${path} is reached by no test`]
  })
}

/** Names the tests whose folder has no counterpart in src. */
export function homelessTests(paths: readonly string[]): readonly string[] {
  const folders = new Set(paths.filter(path => path.startsWith('src/')).map(folderOf))
  return paths
    .filter(isTest)
    .filter(path => !freeFolders.includes(unitOf(path)))
    .filter(path => !folders.has(folderOf(path).replace(/^test/, 'src')))
    .map(path => `${path} is in no folder that src has`)
}

type Graph = ReadonlyMap<string, readonly string[]>

function isTest(path: string): boolean {
  return path.startsWith('test/') && path.endsWith('.test.ts')
}

function ownTest(path: string): string {
  return path.replace(/^src\//, 'test/').replace(/\.ts$/, '.test.ts')
}

/** `dns` of `src/dns/…` and `test/dns/…`; the file's name directly in src. */
function unitOf(path: string): string {
  return path.split('/')[1] ?? ''
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'))
}

function isInterface(path: string, graph: Graph): boolean {
  return [...graph].some(
    ([from, targets]) =>
      from.startsWith('src/') && unitOf(from) !== unitOf(path) && targets.includes(path),
  )
}

function reaches(test: string, path: string, graph: Graph): boolean {
  const seen = new Set([test])
  for (const from of seen) for (const to of graph.get(from) ?? []) seen.add(to)
  return seen.has(path)
}

/** Nothing is left to run once the types are gone. */
function isTypesOnly({ text }: SourceFile): boolean {
  return maskedCode(stripTypeScriptTypes(text)).trim() === ''
}
