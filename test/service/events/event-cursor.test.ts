import t from 'tap'
import {
  compareEventCursors,
  cursorText,
  endOfCommit,
  isEndOfCommit,
  parseCursor,
} from '../../../src/service/events/event-cursor.ts'

t.test('cursors are in order of commits and changes, by number', async t => {
  const inOrder = ['2-0', '9-1', '9-10', '9', '10-0', '10']
  const places = inOrder.map(id => parseCursor(id)!)
  for (const [i, left] of places.entries())
    for (const [j, right] of places.entries())
      t.equal(Math.sign(compareEventCursors(left, right)), Math.sign(i - j))
  t.same(places.map(cursorText), inOrder)
  t.same(places.map(isEndOfCommit), [false, false, false, true, false, true])
  t.same(parseCursor('9'), endOfCommit(9))
})

t.test('anything else is no place', async t => {
  for (const wrong of ['', '12-', '-1', 'x-1', '1-2-3', '1 ', `${'9'.repeat(20)}-1`, '1e3'])
    t.equal(parseCursor(wrong), undefined, wrong)
})
