import t from 'tap'
import type { Stamped } from '../../src/model/stamped.ts'
import { SumIndex } from '../../src/store/sum-index.ts'

type Weighed = Stamped & { readonly group: string; readonly weight: number }

const stamp = { id: 'a', version: 1, createdAt: 1, updatedAt: null }
const row = (group: string, weight: number): Weighed => ({ ...stamp, group, weight })

t.test('rows are added up by key, as they come, change and go', async t => {
  const index = new SumIndex({
    keyOf: row => (row as Weighed).group,
    amountOf: row => (row as Weighed).weight,
  })
  t.equal(index.get('x'), 0)
  index.replace(undefined, row('x', 3))
  index.replace(undefined, row('x', 4))
  t.equal(index.get('x'), 7)
  index.replace(row('x', 3), row('x', 1))
  t.equal(index.get('x'), 5)
  index.replace(row('x', 4), row('y', 4))
  t.same([index.get('x'), index.get('y')], [1, 4])
  index.replace(row('y', 4), undefined)
  index.replace(undefined, row('y', 0))
  t.equal(index.get('y'), 0)
})
