import t from 'tap'
import {
  type CopyChanges,
  compareCopy,
  contentsOf,
  writeCopyChanges,
} from '../../src/service/zone-copy.ts'
import type { Store } from '../../src/store/store.ts'
import { fakeClock } from '../helpers/clock.ts'
import { openMemoryStore } from '../helpers/memory-store.ts'
import { copyFromText } from '../helpers/scripted-client.ts'
import { newSecondary } from '../helpers/secondary-zone.ts'

const zone = newSecondary()
const soa = '@ 300 SOA ns. host. 7 3600 600 86400 60'

/** What there is to be done for the zone to be what a text says. */
async function changesFor(store: Store, text: string): Promise<CopyChanges> {
  const copy = copyFromText(text)
  const { put, removed } = await compareCopy(store, zone.id, copy)
  return { put: contentsOf(copy, put), removed }
}

async function storeWith(text: string) {
  const store = openMemoryStore({ clock: fakeClock() })
  const changes = await changesFor(store, text)
  await store.commit(tx => writeCopyChanges(tx, zone, changes))
  return store
}

/** Says what `after` changes of `before`, as `owner type`. */
async function difference(before: string, after: string) {
  const store = await storeWith(`${soa}\n${before}`)
  const { put, removed } = await changesFor(store, `${soa}\n${after}`)
  const nameAndType = (row: { name: string; type: string }) => `${row.name} ${row.type}`
  return { put: put.map(nameAndType), removed: removed.map(nameAndType) }
}

t.test('only what differs is put or removed', async t => {
  const rows: readonly [
    rule: string,
    before: string,
    after: string,
    put: string[],
    removed: string[],
  ][] = [
    ['equal', 'a 5 A 192.0.2.1', 'a 5 A 192.0.2.1', [], []],
    ['added', '', 'a 5 A 192.0.2.1', ['a.example. A'], []],
    ['removed', 'a 5 A 192.0.2.1', '', [], ['a.example. A']],
    ['another value', 'a 5 A 192.0.2.1', 'a 5 A 192.0.2.2', ['a.example. A'], []],
    ['another TTL', 'a 5 A 192.0.2.1', 'a 6 A 192.0.2.1', ['a.example. A'], []],
    ['another case', 'a 5 A 192.0.2.1', 'A 5 A 192.0.2.1', ['A.example. A'], []],
    ['one type of two', 'a 5 A 192.0.2.1\na 5 TXT x', 'a 5 TXT x', [], ['a.example. A']],
    [
      'another order',
      'a 5 A 192.0.2.1\na 5 A 192.0.2.2',
      'a 5 A 192.0.2.2\na 5 A 192.0.2.1',
      [],
      [],
    ],
    [
      'one value more often than the other',
      'a 5 A 192.0.2.1\na 5 A 192.0.2.2',
      'a 5 A 192.0.2.2\na 5 A 192.0.2.3',
      ['a.example. A'],
      [],
    ],
  ]
  for (const [rule, before, after, put, removed] of rows) {
    t.strictSame(await difference(before, after), { put, removed }, rule)
  }
})

t.test('names that need escapes are found again', async t => {
  const text = 'a\\.b 5 A 192.0.2.1\n\\000\\255 5 TYPE65400 \\# 1 00'
  t.strictSame(await difference(text, text), { put: [], removed: [] })
  const gone = await difference(text, '')
  t.strictSame(gone.removed.sort(), ['\\000\\255.example. TYPE65400', 'a\\046b.example. A'])
})

t.test('more rows than one page are all looked at', async t => {
  const many = Array.from({ length: 1200 }, (_, i) => `h${i} 5 A 192.0.2.1`)
  const { put, removed } = await difference(many.join('\n'), many.slice(700).join('\n'))
  t.equal(put.length, 0)
  t.equal(removed.length, 700)
})

t.test('a record set that was put there since the comparison is replaced, not doubled', async t => {
  const store = openMemoryStore({ clock: fakeClock() })
  const early = await changesFor(store, `${soa}\na 5 A 192.0.2.1`)
  const other = await changesFor(store, `${soa}\na 9 A 192.0.2.9`)
  await store.commit(tx => writeCopyChanges(tx, zone, other))
  await store.commit(tx => writeCopyChanges(tx, zone, early))
  const rows = [...store.list('recordsets', 'byZone', zone.id)].filter(row => row.type === 'A')
  t.match(rows, [{ ttlSeconds: 5, records: ['192.0.2.1'], version: 2 }])
  t.equal(rows.length, 1)
})

t.test('the record sets of a copy are listed in its order', async t => {
  const names = Array.from({ length: 100 }, (_, i) => `host${(i * 37) % 100}`)
  const store = await storeWith([soa, ...names.map(name => `${name} 60 A 192.0.2.1`)].join('\n'))
  const rows = [...store.list('recordsets', 'byZone', zone.id)]
  t.same(
    rows.slice(1).map(({ name }) => name.split('.', 1)[0]),
    names,
  )
})
