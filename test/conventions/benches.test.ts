import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readSources, root, type SourceFile } from './source-tree.ts'

/** A benchmark says first which question it answers; without one its numbers mean nothing. */
function asksNothing({ text }: SourceFile): boolean {
  const opening = /^(?:\/\/[^\n]*\n)+|^\/\*[\s\S]*?\*\//.exec(text)?.[0] ?? ''
  return !opening.includes('?')
}

t.test('the check sees a benchmark without a question', async t => {
  const rows: [string, boolean][] = [
    ['// How long does a lookup take?\n// ...\nimport', false],
    ['/* How long\n does it take? */', false],
    ['// Lookup\nimport', true],
    ["import t from 'tap' // why?", true],
  ]
  for (const [text, expected] of rows) t.equal(asksNothing({ path: 'a', text }), expected, text)
})

t.test('every benchmark begins with the question it answers', async t => {
  const folder = 'scripts/bench'
  const files = existsSync(join(root, folder)) ? readSources(folder) : []
  const benches = files.filter(({ path }) => path.split('/').length === 3)
  t.same(
    benches.filter(asksNothing).map(({ path }) => path),
    [],
  )
})
