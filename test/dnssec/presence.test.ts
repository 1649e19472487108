import t from 'tap'
import {
  followedAt,
  hidden,
  introduced,
  isInAnswerOf,
  settled,
  withdrawn,
} from '../../src/dnssec/presence.ts'

t.test('a record comes and goes, and each time caches follow', async t => {
  const begun = introduced(10)
  t.equal(settled(begun, 1000), begun, 'not before it is served everywhere')
  const followed = followedAt(begun, 20)
  t.equal(followedAt(followed, 30), followed, 'the first moment counts')
  t.equal(settled(followed, 19), followed)
  const there = settled(followed, 20)
  t.same(there, { state: 'OMNIPRESENT', since: 20, until: null })
  t.equal(followedAt(there, 99), there, 'nothing is waited for')
  const leaving = followedAt(withdrawn(there, 40), 50)
  t.same(settled(leaving, 50), { state: 'HIDDEN', since: 50, until: null })
})

t.test('which answers have it', async t => {
  const begun = introduced(10)
  const inAnswers = (presence: typeof begun) =>
    [9, 10, 14, 15].map(at => isInAnswerOf(presence, at))
  t.same(inAnswers(hidden), [false, false, false, false])
  t.same(inAnswers(begun), [false, true, true, true])
  t.same(inAnswers(withdrawn(begun, 15)), [false, true, true, false])
  t.same(inAnswers(withdrawn(settled(followedAt(begun, 12), 12), 15)), [true, true, true, false])
})
