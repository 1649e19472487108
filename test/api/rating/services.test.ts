import t from 'tap'
import { selectionFor } from '../../../src/api/rating/services.ts'
import type { Caller } from '../../../src/identity/caller.ts'
import { fakeClock } from '../../helpers/clock.ts'
import { callerOf } from '../../helpers/dns.ts'

const query = new URLSearchParams({ filters: 'project_id:other,type:dns.queries' })
const filtersFor = (caller: Caller) => {
  const context = { query, caller, requireClient: () => undefined }
  return [...selectionFor(context, { clock: fakeClock() }).filters]
}

t.test('an administrator sees what it asks for', async t => {
  t.strictSame(filtersFor(callerOf('alpha', 'admin')), [
    ['project_id', ['other']],
    ['type', ['dns.queries']],
  ])
})

t.test('others see their own project, and of that what they ask for', async t => {
  t.strictSame(filtersFor(callerOf('alpha', 'reader')), [
    ['project_id', ['alpha']],
    ['type', ['dns.queries']],
  ])
})
