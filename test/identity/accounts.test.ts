import t from 'tap'
import {
  defaultScopeOf,
  findDomain,
  findProject,
  findUser,
  rolesNamed,
  scopeIn,
} from '../../src/identity/accounts.ts'
import { bootstrapIdentity } from '../../src/identity/bootstrap.ts'
import { ensureMember } from '../helpers/accounts.ts'
import { cheapCost } from '../helpers/cheap-cost.ts'
import { fakeClock } from '../helpers/clock.ts'
import { openMemoryStore } from '../helpers/memory-store.ts'

async function openAccounts() {
  const store = openMemoryStore({ clock: fakeClock() })
  await bootstrapIdentity(store, { adminPassword: 'given', cost: cheapCost })
  const alpha = await ensureMember(store, { project: 'alpha', role: 'member' })
  const beta = await ensureMember(store, { project: 'beta', role: 'reader' })
  return { store, alpha, beta }
}

t.test('a domain is found by id or by name in any case', async t => {
  const { store } = await openAccounts()
  t.equal(findDomain(store, { id: 'default' })?.name, 'Default')
  t.equal(findDomain(store, { name: 'dEFAULT' })?.id, 'default')
  t.equal(findDomain(store, { name: 'other' }), undefined)
  t.equal(findDomain(store, {}), undefined)
})

t.test('users and projects are found by id, or by name within a domain', async t => {
  const { store, alpha } = await openAccounts()
  const domain = { name: 'Default' }
  t.equal(findUser(store, { id: alpha.user.id }), alpha.user)
  t.equal(findUser(store, { name: alpha.user.name.toUpperCase(), domain }), alpha.user)
  t.equal(findUser(store, { name: alpha.user.name }), undefined)
  t.equal(findProject(store, { name: 'alpha', domain })?.id, 'alpha')
  t.equal(findProject(store, { name: 'alpha', domain: { id: 'other' } }), undefined)
  t.equal(findProject(store, {}), undefined)
})

t.test('a user has a scope where it has a role, and nowhere else', async t => {
  const { store, alpha, beta } = await openAccounts()
  t.equal(scopeIn(store, alpha.user, alpha.scope?.project)?.project.id, 'alpha')
  t.equal(scopeIn(store, alpha.user, beta.scope?.project), undefined)
  t.equal(scopeIn(store, alpha.user, undefined), undefined)
  t.equal(defaultScopeOf(store, beta.user)?.project.id, 'beta')
  t.equal(defaultScopeOf(store, { ...beta.user, defaultProjectId: 'alpha' }), undefined)
  t.equal(defaultScopeOf(store, { ...beta.user, defaultProjectId: null }), undefined)
})

t.test('roles come with those they imply, as far as these exist', async t => {
  const { store } = await openAccounts()
  const names = () => rolesNamed(store, ['admin']).map(({ name }) => name)
  t.strictSame(names(), ['admin', 'member', 'reader'])
  const reader = store.find('roles', 'byName', 'reader')
  await store.commit(tx => tx.delete('roles', reader?.id ?? ''))
  t.strictSame(names(), ['admin', 'member'])
})
