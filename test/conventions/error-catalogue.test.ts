import t from 'tap'
import { errorTypes } from '../../src/errors.ts'
import { readSources, type SourceFile } from './source-tree.ts'

function unused(types: readonly string[], files: readonly SourceFile[]): readonly string[] {
  return types.filter(type => !files.some(({ text }) => text.includes(`'${type}'`)))
}

t.test('the check sees a type that is not used', async t => {
  const files = [{ path: 'src/a.ts', text: "throw new ApiError('used', '')" }]
  t.same(unused(['used', 'use'], files), ['use'])
})

t.test('every type of the catalogue is used', async t => {
  const users = readSources('src').filter(({ path }) => path !== 'src/errors.ts')
  t.same(unused(errorTypes, users), [])
})
