import t from 'tap'
import type { Reprocess } from '../../../src/model/rating.ts'
import { Reprocesses } from '../../../src/rating/scopes/reprocesses.ts'
import { everything } from '../../../src/store/indexes.ts'
import { fakeClock } from '../../helpers/clock.ts'
import { openMemoryStore } from '../../helpers/memory-store.ts'
import { refusal } from '../../helpers/refusal.ts'
import { scopeState } from '../../helpers/scope-states.ts'
import { at } from '../../helpers/usage.ts'

async function open() {
  const store = openMemoryStore({ clock: fakeClock() })
  await store.commit(tx => {
    for (const id of ['p1', 'p2'])
      tx.put('scopeStates', scopeState(id, { lastProcessed: at('2026-10-05T12') }))
  })
  let scheduledCount = 0
  const reprocesses = new Reprocesses(store)
  reprocesses.onScheduled = () => {
    scheduledCount += 1
  }
  return { store, reprocesses, scheduledCount: () => scheduledCount }
}

const day = { reason: 'a wrong price', start: at('2026-10-02'), end: at('2026-10-03') }

t.test('an order is kept for each scope, and reported', async t => {
  const { reprocesses, scheduledCount } = await open()
  const orders = await reprocesses.schedule({ ...day, scopeIds: ['ALL'] })
  t.match(orders, [
    { scopeId: 'p1', ...day, current: null },
    { scopeId: 'p2', ...day, current: null },
  ])
  const scopesOf = (list: readonly Reprocess[]) => list.map(({ scopeId }) => scopeId).sort()
  t.same(scopesOf(reprocesses.list()), ['p1', 'p2'])
  t.same(reprocesses.list(['p2']), orders.slice(1))
  t.same(scopesOf(reprocesses.unfinished()), ['p1', 'p2'])
  t.equal(scheduledCount(), 1)
})

t.test('an order that is done is listed and no longer in the way', async t => {
  const { store, reprocesses } = await open()
  const [order] = await reprocesses.schedule({ ...day, scopeIds: ['p1'] })
  await t.rejects(
    reprocesses.schedule({ ...day, scopeIds: ['p1'] }),
    refusal('bad_request'),
    'while it is not done there is no second one',
  )
  await store.commit(tx => tx.put('reprocesses', { ...order!, current: at('2026-10-02T23') }))
  t.same(reprocesses.unfinished(), [])
  await reprocesses.schedule({ ...day, scopeIds: ['p1'] })
  t.equal(reprocesses.list(['p1']).length, 2)
})

t.test('orders are listed for a quarter of a year after they are done', async t => {
  const { store, reprocesses } = await open()
  await reprocesses.schedule({ ...day, scopeIds: ['p1', 'p2'] })
  await store.commit(tx => {
    const [first] = tx.list('reprocesses', 'all', everything)
    tx.put('reprocesses', { ...(first as Reprocess), current: at('2026-10-02T23') })
  })
  await reprocesses.forgetDone(at('2027-02-21'))
  t.equal(reprocesses.list().length, 2)
  await reprocesses.forgetDone(at('2027-02-22'))
  t.match(reprocesses.list(), [{ current: null }], 'and for ever while they are not')
})
