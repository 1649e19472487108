import t from 'tap'
import { FixedAdministrator } from '../../src/identity/administrator.ts'
import { bootstrapIdentity } from '../../src/identity/bootstrap.ts'
import { cheapCost } from '../helpers/cheap-cost.ts'
import { fakeClock } from '../helpers/clock.ts'
import { openMemoryStore } from '../helpers/memory-store.ts'

async function open(options: { adminToken?: string; allowsNoAuth?: boolean }) {
  const store = openMemoryStore({ clock: fakeClock() })
  await bootstrapIdentity(store, { adminPassword: 'given', cost: cheapCost })
  const { adminToken, allowsNoAuth = false } = options
  return new FixedAdministrator({ store, adminToken, allowsNoAuth })
}

const nothing = { token: undefined, authorization: undefined, isLocal: true }

t.test('the fixed token is the administrator, and no other is', async t => {
  const administrator = await open({ adminToken: 'fixed' })
  t.match(administrator.findByToken('fixed'), { user: { name: 'admin' }, credential: undefined })
  for (const token of ['', 'fixed ', 'FIXED']) t.equal(administrator.findByToken(token), undefined)
})

t.test('where there is no fixed token none is', async t => {
  const administrator = await open({})
  for (const token of ['', 'undefined']) t.equal(administrator.findByToken(token), undefined)
})

t.test('nothing is enough only where that is switched on, and on the machine itself', async t => {
  const off = await open({})
  t.equal(off.findWithoutCredentials(nothing), undefined)
  const on = await open({ allowsNoAuth: true })
  t.match(on.findWithoutCredentials(nothing)?.scope?.roles, [{ name: 'admin' }])
  t.ok(on.findWithoutCredentials({ ...nothing, token: 'notused' }))
  const others = [{ isLocal: false }, { token: 'x' }, { authorization: 'Basic x' }]
  for (const other of others)
    t.equal(on.findWithoutCredentials({ ...nothing, ...other }), undefined)
})
