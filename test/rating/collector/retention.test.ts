import t from 'tap'
import { retainedFrom } from '../../../src/rating/collector/retention.ts'
import { at } from '../../helpers/usage.ts'

t.test('whole months are kept, and the current one', async t => {
  t.equal(retainedFrom(at('2026-03-31T23:59:59'), 1), at('2026-02-01'))
  t.equal(retainedFrom(at('2026-03-01'), 3), at('2025-12-01'))
  t.equal(retainedFrom(at('2026-03-01'), 24), at('2024-03-01'))
})
