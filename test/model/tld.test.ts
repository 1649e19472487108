import t from 'tap'
import { tldErrors } from '../../src/model/tld.ts'

t.test(
  'a TLD is one or more labels of letters, digits, underscores and hyphens, without a final dot',
  async t => {
    for (const name of ['com', 'co.uk', 'COM', 'xn--p1ai', '1', '_a', 'a_b.test', 'a'.repeat(63)])
      t.same(tldErrors({ name }), [undefined], name)
    const wrong = ['', '.', 'com.', '.com', 'co..uk', 'c om', 'com\n', '-a', 'a-', '*.a', 'ä']
    for (const name of [...wrong, 'a'.repeat(64), `${'a.'.repeat(127)}aa`])
      t.match(tldErrors({ name }), [{ path: ['name'], validator_value: 'tldname' }], name)
    t.same(tldErrors({ description: 'no name' }), [])
  },
)
