import t from 'tap'
import { compareRuns, type Sameness } from '../../src/bulk/compare-runs.ts'
import { recordsetUnpacker } from '../../src/model/packed-recordset.ts'
import type { Recordset } from '../../src/model/recordset.ts'
import { packRun, recordsetsOf } from '../../src/model/recordset-run.ts'
import { recordsetRow, uuidOf } from '../helpers/store-rows.ts'

type Contents = readonly [name: string, ttlSeconds: number | null, type: string, ...string[]]

function rowsOf(all: readonly Contents[], first: number, changes: Partial<Recordset>) {
  return all.map(([name, ttlSeconds, type, ...records], i) =>
    recordsetRow({ id: uuidOf(first + i), name, ttlSeconds, type, records, ...changes }),
  )
}

/** What differs, each as its name. */
function difference(
  before: readonly Contents[],
  after: readonly Contents[],
  sameness: Sameness = 'file',
  stored: Partial<Recordset> = {},
) {
  const rows = rowsOf(before, 1, { isManaged: false, ...stored })
  const found = compareRuns({
    // Each in a run of its own, so that numbers go on over runs.
    stored: rows.map(row => packRun([row])),
    next: rowsOf(after, 100, {}).map(row => packRun([row])),
    sameness,
    keepsManaged: sameness === 'file',
    hashSeed: 42,
  })
  const nameOf = (id: string) => rows.find(row => row.id === id)?.name
  const names = (run: Uint32Array<ArrayBuffer>) =>
    [...recordsetsOf(run)].map(record => recordsetUnpacker.unpack(record).name)
  t.same(
    found.addedRuns.flatMap(names),
    Array.from(found.added, number => after[number]?.[0]),
  )
  t.same(
    names(found.changedRun),
    found.shown.changed.named.map(({ name }) => name),
  )
  const { added, changed, removed } = found.shown
  const counts = [found.added.length, found.changedIds.length, found.removedIds.length]
  t.same([added.count, changed.count, removed.count], counts)
  return {
    added: added.named.map(({ name }) => name),
    changed: found.changedIds.map(nameOf),
    removed: found.removedIds.map(nameOf),
  }
}

const nothing = { added: [], changed: [], removed: [] }

t.test('what is new, changed or gone is found by owner, in any case, and type', async t => {
  const found = difference(
    [
      ['same.example.com.', 60, 'A', '192.0.2.1'],
      ['CASE.example.com.', 60, 'A', '192.0.2.1'],
      ['gone.example.com.', 60, 'A', '192.0.2.1'],
      ['type.example.com.', 60, 'A', '192.0.2.1'],
      ['value.example.com.', 60, 'A', '192.0.2.1'],
      ['ttl.example.com.', 60, 'A', '192.0.2.1'],
      ['own.example.com.', null, 'A', '192.0.2.1'],
    ],
    [
      ['type.example.com.', 60, 'AAAA', '2001:db8::1'],
      ['case.example.com.', 60, 'A', '192.0.2.1'],
      ['same.example.com.', 60, 'A', '192.0.2.1'],
      ['value.example.com.', 60, 'A', '192.0.2.2'],
      ['ttl.example.com.', 61, 'A', '192.0.2.1'],
      ['own.example.com.', 0, 'A', '192.0.2.1'],
    ],
  )
  t.same(found, {
    added: ['type.example.com.'],
    changed: ['value.example.com.', 'ttl.example.com.', 'own.example.com.'],
    removed: ['gone.example.com.', 'type.example.com.'],
  })
})

t.test('the order of records says nothing, and how often one is there does', async t => {
  const two: Contents = ['a.example.com.', 60, 'A', '192.0.2.1', '192.0.2.2']
  const turned: Contents = ['a.example.com.', 60, 'A', '192.0.2.2', '192.0.2.1']
  const other: Contents = ['a.example.com.', 60, 'A', '192.0.2.2', '192.0.2.3']
  for (const sameness of ['file', 'copy'] as const) {
    t.same(difference([two], [turned], sameness), nothing)
    t.same(difference([two], [other], sameness).changed, ['a.example.com.'])
  }
})

t.test('a copy is of the spelling of its master, a file is not', async t => {
  const rows: readonly [Contents, Contents][] = [
    [
      ['A.example.com.', 60, 'A', '192.0.2.1'],
      ['a.example.com.', 60, 'A', '192.0.2.1'],
    ],
    [
      ['a.example.com.', 60, 'MX', '1 Mail.example.com.'],
      ['a.example.com.', 60, 'MX', '1 mail.example.com.'],
    ],
    [
      ['a.example.com.', 60, 'AAAA', '2001:DB8::1'],
      ['a.example.com.', 60, 'AAAA', '2001:db8::1'],
    ],
  ]
  for (const [before, after] of rows) {
    t.same(difference([before], [after], 'file'), nothing)
    t.same(difference([before], [after], 'copy').changed, [before[0]])
  }
})

t.test('what the server keeps is not removed for a file', async t => {
  const soa: Contents = ['example.com.', 60, 'SOA', 'ns. host. 1 2 3 4 5']
  t.same(difference([soa], [], 'file', { isManaged: true }), nothing)
  t.same(difference([soa], [], 'copy', { isManaged: true }).removed, ['example.com.'])
})

t.test('what cannot be read is replaced where it can be found, and removed where not', async t => {
  const next: Contents = ['a.example.com.', 60, 'A', '192.0.2.1']
  const changed = difference([['a.example.com.', 60, 'A', 'no address']], [next])
  t.same(changed, { ...nothing, changed: ['a.example.com.'] })
  const gone = difference([['a..example.com.', 60, 'A', '192.0.2.1']], [next])
  t.same(gone, { ...nothing, added: ['a.example.com.'], removed: ['a..example.com.'] })
})
