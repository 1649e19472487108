import t from 'tap'
import { bootstrapIdentity } from '../../../src/identity/bootstrap.ts'
import { keepingAnAdministrator } from '../../../src/identity/directory/last-administrator.ts'
import { everything } from '../../../src/store/indexes.ts'
import type { Transaction } from '../../../src/store/store.ts'
import { ensureMember } from '../../helpers/accounts.ts'
import { cheapCost } from '../../helpers/cheap-cost.ts'
import { fakeClock } from '../../helpers/clock.ts'
import { openMemoryStore } from '../../helpers/memory-store.ts'

async function open() {
  const store = openMemoryStore({ clock: fakeClock() })
  await bootstrapIdentity(store, { adminPassword: 'given', cost: cheapCost })
  return store
}

/** Closes every row of a collection. */
function disableAll(tx: Transaction, collection: 'domains' | 'projects' | 'users'): void {
  if (collection === 'domains')
    for (const row of [...tx.list('domains', 'all', everything)])
      tx.put('domains', { ...row, isEnabled: false })
  if (collection === 'projects')
    for (const row of [...tx.list('projects', 'all', everything)])
      tx.put('projects', { ...row, isEnabled: false })
  if (collection === 'users')
    for (const row of [...tx.list('users', 'all', everything)])
      tx.put('users', { ...row, isEnabled: false })
}

const takings: readonly [rule: string, take: (tx: Transaction) => void][] = [
  ['the domain is closed', tx => disableAll(tx, 'domains')],
  ['the project is closed', tx => disableAll(tx, 'projects')],
  ['the user is closed', tx => disableAll(tx, 'users')],
  [
    'the role is taken away',
    tx => {
      for (const { id } of [...tx.list('roleAssignments', 'all', everything)])
        tx.delete('roleAssignments', id)
    },
  ],
  [
    'there is no such role',
    tx => {
      for (const { id } of [...tx.list('roles', 'all', everything)]) tx.delete('roles', id)
    },
  ],
]

t.test('nothing is kept of a change after which nobody could administer', async t => {
  for (const [rule, take] of takings) {
    const store = await open()
    const change = store.commit(tx => keepingAnAdministrator(tx, () => take(tx)))
    await t.rejects(change, { name: 'ApiError', type: 'conflict' }, rule)
    t.equal(store.count('roleAssignments', 'all', everything), 1, rule)
    t.ok([...store.list('users', 'all', everything)].every(({ isEnabled }) => isEnabled))
  }
})

t.test('another one is enough, and a reader is not', async t => {
  const store = await open()
  await ensureMember(store, { project: 'alpha', role: 'reader' })
  const first = store.find('users', 'byName', 'default\nadmin')
  const disableFirst = () =>
    store.commit(tx =>
      keepingAnAdministrator(tx, () => {
        if (first !== undefined) tx.put('users', { ...first, isEnabled: false })
      }),
    )
  await t.rejects(disableFirst(), { name: 'ApiError', type: 'conflict' })
  await ensureMember(store, { project: 'alpha', role: 'admin' })
  await disableFirst()
  t.equal(store.get('users', first?.id ?? '')?.isEnabled, false)
})

t.test('where there is none already, changes go on', async t => {
  const store = await open()
  await store.commit(tx => disableAll(tx, 'users'))
  t.equal(await store.commit(tx => keepingAnAdministrator(tx, () => 'done')), 'done')
})
