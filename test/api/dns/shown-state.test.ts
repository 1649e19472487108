import t from 'tap'
import { designate, plain } from '../../../src/api/dialect.ts'
import { shownState } from '../../../src/api/dns/shown-state.ts'
import type { ResourceState } from '../../../src/model/zone-state.ts'

const active: ResourceState = { status: 'ACTIVE', action: 'NONE', reason: null }
const failed: ResourceState = { status: 'ERROR', action: 'UPDATE', reason: 'why' }

t.test('the plain dialect shows what is', async t => {
  const shown = { status: 'ACTIVE', action: 'NONE', status_reason: null }
  t.same(shownState(active, plain), shown)
  t.same(shownState(active, plain, 'CREATE'), shown)
  t.same(shownState(failed, plain), { status: 'ERROR', action: 'UPDATE', status_reason: 'why' })
})

t.test('Designate’s shows a change in its own answer as under way', async t => {
  const shown = { status: 'PENDING', action: 'CREATE', status_reason: null }
  t.same(shownState(active, designate, 'CREATE'), shown)
  t.match(shownState(active, designate), { status: 'ACTIVE', action: 'NONE' })
})
