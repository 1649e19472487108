import t from 'tap'
import { Collectors } from '../../src/rating/collectors.ts'
import { fakeClock } from '../helpers/clock.ts'
import { openMemoryStore } from '../helpers/memory-store.ts'
import { refusal } from '../helpers/refusal.ts'

t.test('a service is mapped to one collector, the last one said', async t => {
  const collectors = new Collectors(openMemoryStore({ clock: fakeClock() }))
  await collectors.map('dns.zone', 'gnocchi')
  await collectors.map('dns.zone', 'dns')
  await collectors.map('instance', 'gnocchi')
  const shown = (mappings: readonly { id: string; collector: string }[]) =>
    mappings.map(({ id, collector }) => `${id} ${collector}`)
  t.strictSame(shown(collectors.mappings()), ['dns.zone dns', 'instance gnocchi'])
  t.strictSame(shown(collectors.mappings('dns')), ['dns.zone dns'])
  t.equal(collectors.mappingOf('instance').collector, 'gnocchi')
  await collectors.unmap('instance')
  t.throws(() => collectors.mappingOf('instance'), refusal('not_found'))
  await t.rejects(collectors.unmap('instance'), refusal('not_found'))
  await t.rejects(async () => collectors.map('', 'dns'), refusal('bad_request'))
})

t.test('a collector is off until it is switched on', async t => {
  const collectors = new Collectors(openMemoryStore({ clock: fakeClock() }))
  t.equal(collectors.isEnabled('dns'), false)
  await collectors.switch('dns', true)
  await collectors.switch('dns', true)
  t.equal(collectors.isEnabled('dns'), true)
  await collectors.switch('dns', false)
  t.equal(collectors.isEnabled('dns'), false)
})
