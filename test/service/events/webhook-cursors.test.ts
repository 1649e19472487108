import t from 'tap'
import { WebhookCursors } from '../../../src/service/events/webhook-cursors.ts'
import type { Store } from '../../../src/store/store.ts'
import { openEventStore } from '../../helpers/event-store.ts'

const unexpected = (error: unknown) => t.fail('not kept', { error })

t.test('a cursor is kept once, however often it is noted', async t => {
  const { store, commits, putZone } = openEventStore()
  const places = new WebhookCursors({ store, onFailed: unexpected })
  await putZone('z1')
  await places.open(['a', 'b'])
  const begin = places.cursorOf('a')
  t.equal(begin, String(store.lastLsn - 1))
  t.equal(places.cursorOf('c'), undefined)
  const before = commits.length
  places.note('a', '5-0')
  places.note('a', '6-1')
  places.pass('b', '7')
  await places.keep()
  await places.keep()
  t.equal(commits.length, before + 1)
  t.same([places.cursorOf('a'), places.cursorOf('b')], ['6-1', '7'])
  await places.open(['a', 'b'])
  t.equal(commits.length, before + 1, 'receivers that are known stay where they are')
})

t.test('a store that takes no changes is reported', async t => {
  const { store } = openEventStore()
  const failures: unknown[] = []
  const places = new WebhookCursors({ store, onFailed: error => failures.push(error) })
  await places.open(['a'])
  const refusing: Pick<Store, 'commit'> = { commit: () => Promise.reject(new Error('read-only')) }
  const broken = new WebhookCursors({
    store: Object.assign(Object.create(store), refusing),
    onFailed: error => failures.push(error),
  })
  broken.note('a', '9-0')
  await broken.keep()
  t.match(failures, [{ message: 'read-only' }])
})
