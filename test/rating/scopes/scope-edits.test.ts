import t from 'tap'
import { ScopeEdits } from '../../../src/rating/scopes/scope-edits.ts'
import { fakeClock } from '../../helpers/clock.ts'
import { openMemoryStore } from '../../helpers/memory-store.ts'
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
  const edits = new ScopeEdits(store)
  t.match(await edits.create(draft), { ...draft, resumeFrom: null, activationToggled: null })
  await t.rejects(edits.create({ ...draft, collector: 'other' }), refusal('not_found'))
  for (const more of [
    { scopeId: '' },
    { fetcher: 'x'.repeat(41) },
    { scopeKey: 'a\nb' },
    { scopeId: '\ud800' },
  ])
    await t.rejects(edits.create({ ...draft, scopeId: 'p2', ...more }), refusal('bad_request'))
  t.equal(store.count('scopeStates', 'all', ''), 1)
})

t.test('switching a scope says when, and only a switch does', async t => {
  const store = openMemoryStore({ clock: fakeClock() })
  const edits = new ScopeEdits(store)
  await edits.create(draft)
  const renamed = await edits.edit('p1', { fetcher: 'other', isActive: true }, 7200)
  t.match(renamed, { fetcher: 'other', collector: 'dns', activationToggled: null, version: 2 })
  const off = await edits.edit('p1', { isActive: false }, 7200)
  t.match(off, { isActive: false, activationToggled: 7200, version: 3 })
  const same = await edits.edit('p1', { isActive: false }, 9000)
  t.match(same, { activationToggled: 7200, version: 3 })
})

t.test('a scope that is not one scope cannot be edited', async t => {
  const store = openMemoryStore({ clock: fakeClock() })
  const edits = new ScopeEdits(store)
  await store.commit(tx => {
    tx.put('scopeStates', scopeState('p1'))
    tx.put('scopeStates', { ...scopeState('p1', { fetcher: 'other' }), id: 'second' })
  })
  await t.rejects(edits.edit('p1', {}, 0), /^Too many resources/)
  await t.rejects(edits.edit('p2', {}, 0), refusal('not_found'))
  await t.rejects(edits.edit('p1', { fetcher: '' }, 0), refusal('bad_request'))
})
