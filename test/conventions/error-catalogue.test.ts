import t from 'tap'
import { errorTypes } from '../../src/errors.ts'
import { readSource, readSources, type SourceFile } from './source-tree.ts'

function unused(types: readonly string[], files: readonly SourceFile[]): readonly string[] {
  return types.filter(type => !files.some(({ text }) => text.includes(`'${type}'`)))
}

function undocumented(types: readonly string[], page: string): readonly string[] {
  return types.filter(type => !page.includes(`\`${type}\``))
}

t.test('the checks see a type that is not used or not documented', async t => {
  const files = [{ path: 'src/a.ts', text: "throw new ApiError('used', '')" }]
  t.same(unused(['used', 'use'], files), ['use'])
  t.same(undocumented(['told', 'tol'], '| `told` | 400 |'), ['tol'])
})

t.test('every type of the catalogue is used', async t => {
  const users = readSources('src').filter(({ path }) => path !== 'src/errors.ts')
  t.same(unused(errorTypes, users), [])
})

t.test('every type of the catalogue is in the API reference', async t => {
  t.same(undocumented(errorTypes, readSource('src/api/README.md').text), [])
})
