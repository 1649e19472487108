import t from 'tap'
import { readSources, type SourceFile } from './source-tree.ts'

/** A file this long holds more than one concept, unless it is a table. */
const maxLines = 500

function tooLong(files: readonly SourceFile[]): readonly string[] {
  return files
    .map(({ path, text }) => ({ path, lineCount: text.split('\n').length - 1 }))
    .filter(({ lineCount }) => lineCount > maxLines)
    .map(({ path, lineCount }) => `${path} has ${lineCount} lines`)
}

t.test('the check sees a file that is one line too long', async t => {
  const file = (lineCount: number) => ({ path: 'x.ts', text: 'a\n'.repeat(lineCount) })
  t.same(tooLong([file(maxLines)]), [])
  t.same(tooLong([file(maxLines + 1)]), ['x.ts has 501 lines'])
})

t.test(`no file of src or scripts is longer than ${maxLines} lines`, async t => {
  t.same(tooLong([...readSources('src'), ...readSources('scripts/run', '.mjs')]), [])
})
