import t from 'tap'
import { blacklistErrors } from '../../src/model/blacklist.ts'

t.test('a pattern that cannot be run is refused with the reason', async t => {
  t.same(blacklistErrors({ pattern: '^evil\\.', description: null }), [undefined])
  t.same(blacklistErrors({ description: 'no pattern' }), [])
  t.match(blacklistErrors({ pattern: '(?=a)' }), [
    {
      path: ['pattern'],
      message: "'(?=a)' is not a 'regex': lookaround '(?=' is not possible in linear time",
      validator: 'format',
      validator_value: 'regex',
    },
  ])
})
