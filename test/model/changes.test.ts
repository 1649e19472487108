import t from 'tap'
import { definedOf } from '../../src/model/changes.ts'

t.test('what is undefined is no change; null, zero and nothing are', async t => {
  const changes = { a: undefined, b: null, c: 0, d: '', e: false }
  t.strictSame(definedOf<Record<string, unknown>>(changes), { b: null, c: 0, d: '', e: false })
})
