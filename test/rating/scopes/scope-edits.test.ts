import t from 'tap'
import { createScope, editScope } from '../../../src/rating/scopes/scope-edits.ts'
import { openMemoryStore } from '../../../src/store/memory-store.ts'
import { fakeClock } from '../../helpers/clock.ts'
import { refusal } from '../../helpers/refusal.ts'
import { scopeState } from '../../helpers/scope-states.ts'

const draft = {
  scopeId: 'p1',
  scopeKey: 'project_id',
  collector: 'dns',
  fetcher: 'dns',
  isActive: true,
  lastProcessed: 3600,
}

t.test('a scope is made once', async t => {
  const store = openMemoryStore({ clock: fakeClock() })
  t.match(await createScope(store, draft), { ...draft, resumeFrom: null, activationToggled: null })
  await t.rejects(createScope(store, { ...draft, collector: 'other' }), refusal('not_found'))
  for (const more of [{ scopeId: '' }, { fetcher: 'x'.repeat(41) }, { scopeKey: 'a\nb' }])
    await t.rejects(
      async () => createScope(store, { ...draft, scopeId: 'p2', ...more }),
      refusal('bad_request'),
    )
  t.equal(store.count('scopeStates', 'all', ''), 1)
})

t.test('switching a scope says when, and only a switch does', async t => {
  const store = openMemoryStore({ clock: fakeClock() })
  await createScope(store, draft)
  const renamed = await editScope(store, 'p1', { fetcher: 'other', isActive: true, now: 7200 })
  t.match(renamed, { fetcher: 'other', collector: 'dns', activationToggled: null, version: 2 })
  const off = await editScope(store, 'p1', { isActive: false, now: 7200 })
  t.match(off, { isActive: false, activationToggled: 7200, version: 3 })
  const same = await editScope(store, 'p1', { isActive: false, now: 9000 })
  t.match(same, { activationToggled: 7200, version: 3 })
})

t.test('a scope that is not one scope cannot be edited', async t => {
  const store = openMemoryStore({ clock: fakeClock() })
  await store.commit(tx => {
    tx.put('scopeStates', scopeState('p1'))
    tx.put('scopeStates', { ...scopeState('p1', { fetcher: 'other' }), id: 'second' })
  })
  await t.rejects(editScope(store, 'p1', { now: 0 }), /^Too many resources/)
  await t.rejects(editScope(store, 'p2', { now: 0 }), refusal('not_found'))
  await t.rejects(
    async () => editScope(store, 'p1', { fetcher: '', now: 0 }),
    refusal('bad_request'),
  )
})
