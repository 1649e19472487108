import t from 'tap'
import { SharedMemo } from '../../../src/service/changes/shared-memo.ts'

t.test('where it is full, the one with most entries loses its oldest', async t => {
  const memo = new SharedMemo<number>(4)
  for (const key of ['a', 'b', 'c']) memo.set('much', key, 1)
  memo.set('little', 'a', 1)
  memo.set('new', 'a', 1)
  t.same(
    ['a', 'b', 'c'].map(key => memo.get('much', key)),
    [undefined, 1, 1],
  )
  memo.set('much', 'b', 2)
  memo.set('much', 'd', 1)
  t.same(
    ['b', 'c', 'd'].map(key => memo.get('much', key)),
    [2, undefined, 1],
    'an entry that is set again is new',
  )
  for (const owner of ['little', 'new']) t.equal(memo.get(owner, 'a'), 1)
})

t.test('where each has one entry, that of a new one stays', async t => {
  const memo = new SharedMemo<number>(2)
  for (const owner of ['one', 'two', 'three']) memo.set(owner, 'a', 1)
  t.same(
    ['one', 'two', 'three'].map(owner => memo.get(owner, 'a')),
    [undefined, 1, 1],
  )
})
