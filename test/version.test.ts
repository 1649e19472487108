import { readFileSync } from 'node:fs'
import t from 'tap'
import { version } from '../src/version.ts'

t.test('the version is that of the package', async t => {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  t.match(version, /^\d+\.\d+\.\d+/)
  t.equal(version, JSON.parse(text).version)
})
