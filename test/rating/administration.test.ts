import t from 'tap'
import { administrationOf } from '../../src/rating/administration.ts'
import { fakeClock } from '../helpers/clock.ts'
import { openMemoryStore } from '../helpers/memory-store.ts'

t.test('what administrators set up is what is rated by', async t => {
  const administration = administrationOf(openMemoryStore({ clock: fakeClock() }))
  await administration.services.create('dns.zone')
  t.strictSame(administration.rules(), {})
  await administration.modules.set('hashmap', { isEnabled: true })
  t.ok(administration.rules().hashmap?.has('dns.zone'))
})
