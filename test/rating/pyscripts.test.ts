import t from 'tap'
import { checksumOf, Pyscripts } from '../../src/rating/pyscripts.ts'
import { fakeClock } from '../helpers/clock.ts'
import { openMemoryStore } from '../helpers/memory-store.ts'
import { refusal } from '../helpers/refusal.ts'

const draft = { name: 'policy', data: 'x = 1\n', description: null, start: null, end: null }

t.test('a script is kept as it is, with its checksum', async t => {
  const scripts = new Pyscripts(openMemoryStore({ clock: fakeClock() }))
  const script = await scripts.create(draft)
  t.match(scripts.get(script.id), draft)
  t.equal(
    checksumOf({ ...script, data: '' }),
    'cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e',
  )
  const changed = await scripts.update(script.id, { data: 'x = 2\n' })
  t.match(changed, { name: 'policy', data: 'x = 2\n', version: 2 })
  t.equal((await scripts.update(script.id, { data: 'x = 2\n' })).version, 2)
  t.not(checksumOf(changed), checksumOf(script))
  await scripts.delete(script.id)
  t.strictSame(scripts.list(), [])
})

t.test('names are unique, and what is not there is said so', async t => {
  const scripts = new Pyscripts(openMemoryStore({ clock: fakeClock() }))
  await scripts.create(draft)
  const { id } = await scripts.create({ ...draft, name: 'other' })
  await t.rejects(scripts.create(draft), refusal('conflict'))
  await t.rejects(scripts.update(id, { name: 'policy' }), refusal('conflict'))
  await t.rejects(async () => scripts.update(id, { name: '' }), refusal('bad_request'))
  await t.rejects(scripts.update('gone', {}), refusal('not_found'))
  await t.rejects(scripts.delete('gone'), refusal('not_found'))
  t.throws(() => scripts.get('gone'), refusal('not_found'))
})
