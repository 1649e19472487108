import t from 'tap'
import { Scopes } from '../../../src/rating/scopes/scopes.ts'
import { PointStore } from '../../../src/rating/segments/point-store.ts'
import { StoreReadOnlyError } from '../../../src/store/store.ts'
import { fakeClock } from '../../helpers/clock.ts'
import { openMemoryStore } from '../../helpers/memory-store.ts'
import { scopeState } from '../../helpers/scope-states.ts'
import { SimulatedDisk } from '../../helpers/simulated-disk.ts'
import { at, storedTexts, usage } from '../../helpers/usage.ts'

const rated = { lastProcessed: at('2026-10-02T07') }

/** Two scopes rated for an hour on either side of a day's begin, and a point of one that was pushed. */
async function openScopes() {
  const store = openMemoryStore({ clock: fakeClock() })
  await store.commit(tx => {
    for (const id of ['p1', 'p2']) tx.put('scopeStates', scopeState(id, rated))
  })
  const points = await PointStore.open('/rating', { files: new SimulatedDisk() })
  for (const hour of ['2026-10-01T23', '2026-10-02T00'])
    await points.write({ origin: 'dns', points: [usage(hour, 'p1', '1'), usage(hour, 'p2', '1')] })
  await points.write({ origin: 'pushed', points: [usage('2026-10-02T00', 'p1', '5')] })
  const failures: unknown[] = []
  const scopes = new Scopes({
    store,
    points,
    onRemovalFailed: error => failures.push(error),
  })
  return { store, points, scopes, failures }
}

t.test('a reset changes the state at once and takes the rated points away', async t => {
  const { store, points, scopes, failures } = await openScopes()
  t.equal(await scopes.reset({ scopeIds: ['p1'] }, at('2026-10-02T00:30')), 1)
  t.match(store.get('scopeStates', 'p1'), {
    lastProcessed: at('2026-10-02T00:30'),
    resumeFrom: at('2026-10-02T00'),
    version: 2,
  })
  t.match(store.get('scopeStates', 'p2'), { ...rated, version: 1 })
  await scopes.settled()
  t.equal((await storedTexts(points)).length, 4, 'only the point of p1 from the collector is gone')
  t.same(failures, [])
})

t.test('a reset that matches nothing changes nothing', async t => {
  const { points, scopes } = await openScopes()
  t.equal(await scopes.reset({ scopeIds: ['p3'] }, at('2026-10-01')), 0)
  await scopes.settled()
  t.equal((await storedTexts(points)).length, 5)
})

t.test('points rated after a reset stay', async t => {
  const { points, scopes } = await openScopes()
  await scopes.reset({}, at('2026-10-01'))
  await points.write({ origin: 'dns', points: [usage('2026-10-02T00', 'p1', '2')] })
  await scopes.settled()
  t.equal((await storedTexts(points)).length, 2)
})

t.test('a start finishes what a crash cut off, as often as it is done', async t => {
  const { store, points, scopes } = await openScopes()
  const crashed = new Scopes({
    store,
    points: { write: () => new Promise(() => undefined) },
    onRemovalFailed: () => undefined,
  })
  await crashed.reset({ scopeIds: ['p2'] }, at('2026-10-02'))
  t.equal((await storedTexts(points)).length, 5)
  await scopes.finishResets()
  await scopes.finishResets()
  t.equal((await storedTexts(points)).length, 4)
})

t.test('a removal that fails is reported', async t => {
  const { store } = await openScopes()
  const failures: unknown[] = []
  const refusal = new StoreReadOnlyError('the disk is full')
  const scopes = new Scopes({
    store,
    points: { write: () => Promise.reject(refusal) },
    onRemovalFailed: error => failures.push(error),
  })
  t.equal(await scopes.reset({}, at('2026-10-01')), 2)
  await scopes.settled()
  t.same(failures, [refusal])
})

t.test('scopes are listed by creation, and by what they are chosen by', async t => {
  const { scopes } = await openScopes()
  const ids = (filter = {}) => scopes.list(filter).map(state => state.scopeId)
  t.same(ids(), ['p1', 'p2'])
  t.same(ids({ scopeIds: ['p2'] }), ['p2'])
  t.same(ids({ isActive: [false] }), [])
})

t.test(
  'a project that has used something is a scope from that hour on, and stays what it is',
  async t => {
    const { store, scopes } = await openScopes()
    const hour = { begin: at('2026-10-03T07'), end: at('2026-10-03T08') }
    await scopes.open(new Set(['p1', 'p3']), hour)
    await scopes.open(new Set(['p3']), { begin: at('2026-10-03T08'), end: at('2026-10-03T09') })
    t.match(scopes.list({ scopeIds: ['p1'] }), [{ ...rated, version: 1 }])
    t.match(scopes.list({ scopeIds: ['p3'] }), [
      {
        scopeKey: 'project_id',
        collector: 'dns',
        fetcher: 'dns',
        resumeFrom: hour.begin,
        version: 1,
      },
    ])
    t.equal(store.count('scopeStates', 'byScope', 'p3'), 1)
  },
)

t.test('a scope that was renamed is not opened beside itself', async t => {
  const { store, scopes } = await openScopes()
  const hour = { begin: at('2026-10-03T07'), end: at('2026-10-03T08') }
  await store.commit(tx => {
    tx.put('scopeStates', scopeState('p1', { ...rated, fetcher: 'other', isActive: false }))
    tx.put('scopeStates', scopeState('p2', { ...rated, collector: 'other' }))
  })
  await scopes.open(new Set(['p1', 'p2']), hour)
  const identities = scopes.list({}).map(state => [state.scopeId, state.collector, state.fetcher])
  t.strictSame(identities, [
    ['p1', 'dns', 'other'],
    ['p2', 'other', 'dns'],
    ['p2', 'dns', 'dns'],
  ])
})

t.test('a reset is told of until its points are asked to go', async t => {
  const { scopes } = await openScopes()
  t.notOk(scopes.isResetting)
  const reset = scopes.reset({}, at('2026-10-01'))
  t.ok(scopes.isResetting)
  await scopes.settled()
  t.notOk(scopes.isResetting)
  t.equal(await reset, 2)
})

t.test(
  'what is metered again is rated again, but where people have set a scope forward',
  async t => {
    const { store, points, scopes } = await openScopes()
    const ahead = { lastProcessed: at('2026-10-02T07') }
    await store.commit(tx => {
      tx.put('scopeStates', scopeState('p3', { ...ahead, collector: 'other' }))
      tx.put('scopeStates', scopeState('p4', { ...ahead, resumeFrom: at('2026-10-02T07') }))
      tx.put('scopeStates', scopeState('p2', { lastProcessed: at('2026-10-01T23'), version: 2 }))
    })
    await scopes.takeBack(at('2026-10-02'))
    await scopes.settled()
    t.match(store.get('scopeStates', 'p1'), { resumeFrom: at('2026-10-02') })
    t.match(store.get('scopeStates', 'p2'), { resumeFrom: null }, 'it had not got there')
    t.match(store.get('scopeStates', 'p3'), ahead)
    t.match(store.get('scopeStates', 'p4'), ahead)
    t.equal((await storedTexts(points)).length, 4, 'the point of p1 from the collector is gone')
  },
)
