import t from 'tap'
import {
  findChildZone,
  requireNewInPool,
  requireNoChildren,
  requireOwnNameSpace,
} from '../../../src/service/rules/zone-tree.ts'
import { callerOf, openDns, primary } from '../../helpers/dns.ts'
import { refusal } from '../../helpers/refusal.ts'

const one = callerOf('one')

t.test('the child zone of a name is the nearest one that holds it', async t => {
  const { store, zones } = await openDns()
  const parent = await zones.create(one, primary('example.com.'))
  await zones.create(one, primary('b.example.com.'))
  await zones.create(one, primary('a.b.example.com.'))
  const childOf = (name: string) => findChildZone(store, parent, name)?.name
  t.equal(childOf('example.com.'), undefined)
  t.equal(childOf('xb.example.com.'), undefined)
  t.equal(childOf('b.example.com.'), 'b.example.com.')
  t.equal(childOf('x.B.example.com.'), 'b.example.com.')
  t.equal(childOf('x.a.b.example.com.'), 'a.b.example.com.')
})

t.test('zones that are being deleted hold no names and keep no parent', async t => {
  const { store, zones } = await openDns()
  const parent = await zones.create(one, primary('example.com.'))
  const child = await zones.create(one, primary('b.example.com.'))
  t.throws(() => requireNoChildren(store, parent), refusal('zone_has_sub_zone'))
  await store.commit(tx => tx.put('zones', { ...child, isDeleting: true }))
  t.equal(findChildZone(store, parent, 'b.example.com.'), undefined)
  t.doesNotThrow(() => requireNoChildren(store, parent))
})

t.test('zones of another pool are no children, but their names are taken', async t => {
  const { store, zones } = await openDns()
  const parent = await zones.create(one, primary('example.com.'))
  const child = await zones.create(one, primary('b.example.com.'))
  await store.commit(tx => tx.put('zones', { ...child, poolId: 'elsewhere' }))
  t.equal(findChildZone(store, parent, 'b.example.com.'), undefined)
  t.doesNotThrow(() => requireNoChildren(store, parent))
  t.throws(() => requireOwnNameSpace(store, 'a.b.example.com.', 'two'), refusal('illegal_child'))
  t.doesNotThrow(() => requireOwnNameSpace(store, 'a.b.example.com.', 'one'))
})

t.test('a name is new in a pool when no zone of the same listeners has it', async t => {
  const { store, zones } = await openDns()
  const { poolId } = await zones.create(one, primary('example.com.'))
  const pool = store.get('pools', poolId)
  if (pool === undefined) throw new Error('there is no default pool')
  t.throws(() => requireNewInPool(store, 'EXAMPLE.com.', pool), refusal('duplicate_zone'))
  const beside = { ...pool, id: 'elsewhere' }
  t.throws(() => requireNewInPool(store, 'example.com.', beside), refusal('duplicate_zone'))
  const apart = { ...beside, attributes: { listen: '192.0.2.1:53' } }
  t.doesNotThrow(() => requireNewInPool(store, 'example.com.', apart))
})
