import t from 'tap'
import {
  advanceScope,
  matchesScope,
  removalFrom,
  resetScope,
  setScopeActive,
} from '../../../src/rating/scopes/scope-state.ts'
import { scopeState } from '../../helpers/scope-states.ts'
import { at } from '../../helpers/usage.ts'

t.test('a filter chooses by any of the values of each name', async t => {
  const state = scopeState('p1')
  t.ok(matchesScope(state, {}))
  t.ok(matchesScope(state, { scopeIds: ['p2', 'p1'], collectors: ['dns'], isActive: [true] }))
  t.ok(matchesScope(state, { scopeIds: [] }), 'an empty list chooses all')
  t.notOk(matchesScope(state, { scopeIds: ['p2'] }))
  t.notOk(matchesScope(state, { scopeKeys: ['tenant_id'] }))
  t.notOk(matchesScope(state, { collectors: ['gnocchi'] }))
  t.notOk(matchesScope(state, { fetchers: ['keystone'] }))
  t.notOk(matchesScope(state, { isActive: [false] }))
})

t.test('a reset shows the instant given and goes on with the period that holds it', async t => {
  const state = scopeState('p1', { lastProcessed: at('2026-10-05T10') })
  const { changes, removal } = resetScope(state, at('2026-10-03T04:30'))
  t.same(changes, { lastProcessed: at('2026-10-03T04:30'), resumeFrom: at('2026-10-03T04') })
  t.equal(removal.projectId, 'p1')
  t.equal(removal.origin, 'dns', 'pushed points stay: they could not be made again')
  t.equal(removal.period.begin, at('2026-10-03T04'))
  t.ok(removal.period.end > at('9999-12-31'))
})

t.test('a rated period becomes the state', async t => {
  const period = { begin: 3600, end: 7200 }
  t.same(advanceScope(period), { lastProcessed: 3600, resumeFrom: null })
  t.same(removalFrom(scopeState('p1'), period), { projectId: 'p1', origin: 'dns', period })
})

t.test('switching tells when, and only when something switches', async t => {
  const state = scopeState('p1')
  t.same(setScopeActive(state, false, 5), { isActive: false, activationToggled: 5 })
  t.same(setScopeActive(state, true, 5), {})
})
