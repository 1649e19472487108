import t from 'tap'
import {
  contentsOf,
  noChanges,
  writeCopyChanges,
} from '../../../src/service/secondaries/zone-copy.ts'
import { fakeClock } from '../../helpers/clock.ts'
import { openMemoryStore } from '../../helpers/memory-store.ts'
import { copyFromText } from '../../helpers/scripted-client.ts'
import { newSecondary } from '../../helpers/secondary-zone.ts'

const zone = newSecondary()
const soa = '@ 300 SOA ns. host. 7 3600 600 86400 60'

function runOf(text: string) {
  const [run] = copyFromText(`${soa}\n${text}`).runs
  return run ?? noChanges.added
}

function openStore() {
  const store = openMemoryStore({ clock: fakeClock() })
  const rows = () => [...store.list('recordsets', 'byZone', zone.id)]
  return { store, rows }
}

t.test('the recordsets of a copy are the server’s, and listed in its order', async t => {
  const { store, rows } = openStore()
  const names = Array.from({ length: 100 }, (_, i) => `host${(i * 37) % 100}`)
  const added = runOf(names.map(name => `${name} 60 A 192.0.2.1`).join('\n'))
  await store.commit(tx => writeCopyChanges(tx, zone, { ...noChanges, added }, true))
  t.same(
    rows()
      .slice(1)
      .map(({ name }) => name.split('.', 1)[0]),
    names,
  )
  t.ok(rows().every(({ isManaged, zoneId }) => isManaged && zoneId === zone.id))
})

t.test('what changes keeps its id, and what is gone is deleted', async t => {
  const { store, rows } = openStore()
  const added = runOf('a 5 A 192.0.2.1\nb 5 A 192.0.2.1')
  await store.commit(tx => writeCopyChanges(tx, zone, { ...noChanges, added }, true))
  const [stored, a, b] = rows()
  const changed = contentsOf(runOf('A 9 A 192.0.2.9')).slice(1)
  const removedIds = [b?.id ?? '']
  await store.commit(tx => writeCopyChanges(tx, zone, { ...noChanges, changed, removedIds }, true))
  t.match(rows(), [
    stored,
    { id: a?.id, name: 'A.example.', ttlSeconds: 9, records: ['192.0.2.9'], version: 2 },
  ])
  t.equal(rows().length, 2)
})

t.test('a recordset that was put there since the comparison is replaced, not doubled', async t => {
  const { store, rows } = openStore()
  const other = runOf('a 9 A 192.0.2.9')
  const added = runOf('a 5 A 192.0.2.1')
  await store.commit(tx => writeCopyChanges(tx, zone, { ...noChanges, added: other }, true))
  await store.commit(tx => writeCopyChanges(tx, zone, { ...noChanges, added }, false))
  const found = rows().filter(row => row.type === 'A')
  t.match(found, [{ ttlSeconds: 5, records: ['192.0.2.1'], version: 2 }])
  t.equal(found.length, 1)
})
