import t from 'tap'
import { currentRules, ModuleSettings } from '../../src/rating/module-settings.ts'
import { fakeClock } from '../helpers/clock.ts'
import { hashmapRows } from '../helpers/hashmap-rows.ts'
import { openMemoryStore } from '../helpers/memory-store.ts'
import { refusal } from '../helpers/refusal.ts'

function openModules() {
  const store = openMemoryStore({ clock: fakeClock() })
  return { store, modules: new ModuleSettings(store) }
}

t.test('modules are as they come until they are set', async t => {
  const { modules } = openModules()
  const shown = modules.list().map(({ name, isEnabled, priority }) => [name, isEnabled, priority])
  t.strictSame(shown, [
    ['hashmap', false, 1],
    ['noop', true, 1],
    ['pyscripts', false, 1],
  ])
  t.equal(modules.find('unheard'), undefined)
})

t.test('what is set stays, and setting it again writes nothing', async t => {
  const { store, modules } = openModules()
  await modules.set('hashmap', { isEnabled: true, priority: 50 })
  await modules.set('hashmap', { isEnabled: true })
  t.match(modules.find('hashmap'), { isEnabled: true, priority: 50 })
  t.equal(store.get('ratingModules', 'hashmap')?.version, 1)
  await modules.set('hashmap', { isEnabled: false })
  t.equal(store.get('ratingModules', 'hashmap')?.version, 2)
})

t.test('what cannot be is refused and changes nothing', async t => {
  const { store, modules } = openModules()
  await t.rejects(modules.set('pyscripts', { isEnabled: true }), refusal('bad_request'))
  await t.rejects(modules.set('noop', { priority: 0 }), refusal('bad_request'))
  await modules.set('pyscripts', { priority: 3 })
  t.equal(store.get('ratingModules', 'noop'), undefined)
})

t.test('rules are those of enabled modules', async t => {
  const { store, modules } = openModules()
  const rows = hashmapRows({ mappings: [{ service: 'storage', cost: '2' }] })
  await store.commit(tx => {
    for (const row of rows.services) tx.put('hashmapServices', row)
    for (const row of rows.mappings) tx.put('hashmapMappings', row)
  })
  t.strictSame(currentRules(store), {})
  await modules.set('hashmap', { isEnabled: true })
  t.strictSame([...(currentRules(store).hashmap?.keys() ?? [])], ['storage'])
})
