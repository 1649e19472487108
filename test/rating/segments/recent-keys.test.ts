import t from 'tap'
import { RecentKeys } from '../../../src/rating/segments/recent-keys.ts'

t.test('the latest keys are known, older ones forgotten', async t => {
  const keys = new RecentKeys(['a', 'b'], 3)
  keys.add('c')
  keys.add('d')
  t.notOk(keys.has('a'))
  t.same(keys.toArray(), ['b', 'c', 'd'])
})
