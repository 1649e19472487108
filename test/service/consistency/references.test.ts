import t from 'tap'
import { Findings } from '../../../src/service/consistency/finding.ts'
import { checkReferences } from '../../../src/service/consistency/references.ts'
import { fakeClock } from '../../helpers/clock.ts'
import { openMemoryStore } from '../../helpers/memory-store.ts'
import { recordsetRow, zoneRow } from '../../helpers/store-rows.ts'

const stamp = { version: 1, createdAt: 1, updatedAt: null }

t.test('rows that name a row which is gone are found, each with what it names', async t => {
  const store = openMemoryStore({ clock: fakeClock() })
  await store.commit(tx => {
    tx.put('zones', zoneRow())
    tx.put('recordsets', recordsetRow())
    tx.put('roles', { ...stamp, id: 'role', name: 'member', description: '' })
    const assignment = { userId: 'u', projectId: 'p', roleId: 'role' }
    tx.put('roleAssignments', { ...stamp, id: 'assignment', ...assignment })
    const sums = { amount: '10', cost: '6' }
    const crossing = { budgetId: 'gone', projectId: 'p', month: '2026-11', threshold: 50, ...sums }
    tx.put('budgetCrossings', { ...stamp, id: 'crossing', ...crossing })
  })
  const findings = new Findings()
  const steps = checkReferences(store, findings)
  let step = steps.next()
  while (!step.done) step = steps.next()
  t.equal(step.value, 4, 'rows that name others')
  t.same(
    findings.all.map(({ collection, id, problem }) => `${collection} ${id}: ${problem}`),
    [
      'zones 2f0a1e70-6f0c-4c5f-8d5e-1b7d6f1d0a01: it names pool of pools, which does not exist',
      'roleAssignments assignment: it names u of users, which does not exist',
      'roleAssignments assignment: it names p of projects, which does not exist',
      'budgetCrossings crossing: it names gone of budgets, which does not exist',
    ],
  )
})

t.test('a row that goes before its step comes is no finding', async t => {
  const store = openMemoryStore({ clock: fakeClock() })
  await store.commit(tx => {
    for (const id of ['a', 'b', 'c']) {
      tx.put('zoneShares', { ...stamp, id, zoneId: id, targetProjectId: 'p' })
    }
  })
  const findings = new Findings()
  const steps = checkReferences(store, findings)
  steps.next()
  const told = findings.all.length
  await store.commit(tx => {
    for (const id of ['a', 'b', 'c']) tx.delete('zoneShares', id)
  })
  while (!steps.next().done);
  t.equal(told, 1)
  t.equal(findings.all.length, 1)
})
