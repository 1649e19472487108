import t from 'tap'
import { recordsetUnpacker } from '../../src/model/packed-recordset.ts'
import { packRun, type RecordsetRun } from '../../src/model/recordset-run.ts'
import { decodeCommit, encodeCommit } from '../../src/store/commit-entry.ts'
import { type PackedChange, PackedCommit } from '../../src/store/packed-change.ts'
import type { Change, Commit } from '../../src/store/store.ts'
import { recordsetRow, uuidOf, zoneRow } from '../helpers/store-rows.ts'

const rows = ['Www', '\\097', 'x'].map((label, i) =>
  recordsetRow({ id: uuidOf(i), name: `${label}.example.com.`, ttlSeconds: i }),
)
const odd = recordsetRow({ id: 'no uuid', records: ['"ünï\\010\u{1f600}"', 'ZwRf'] })
const zoneChange: Change = {
  collection: 'zones',
  id: zoneRow().id,
  before: zoneRow(),
  after: undefined,
}

const read = (commit: Omit<Commit, 'changes' | 'added'> & { readonly added?: RecordsetRun[] }) => {
  const { changes, ...rest } = decodeCommit(commit.lsn, encodeCommit({ added: [], ...commit }))
  return {
    ...rest,
    changes: changes.map(({ collection, id, before, after }) => ({
      collection,
      id,
      before,
      after,
    })),
  }
}

t.test('a commit is read as it was written, its changes in their order', async t => {
  const [first, second, third] = rows
  const rowChanges: Change[] = [
    { ...zoneChange, id: 'z0' } as Change,
    { collection: 'recordsets', id: uuidOf(0), before: undefined, after: first },
    { collection: 'recordsets', id: uuidOf(1), before: second, after: undefined },
    { collection: 'recordsets', id: 'no uuid', before: { ...odd, version: 1 }, after: odd },
    zoneChange,
  ]
  const added = [packRun([third as never]), packRun([first as never])]
  const actor = { road: 'v2', requestId: 'req-1' } as const
  const facts = [{ position: 0 }]
  const own = { lsn: 7, atMicros: 1_795_262_400_000_000, actor, facts }
  t.strictSame(read({ ...own, rowChanges, added }), {
    ...own,
    changes: new PackedCommit({ ...own, rowChanges, added }).changes.map(
      ({ collection, id, before, after }) => ({
        collection,
        id,
        before,
        after,
      }),
    ),
  })
})

t.test('a commit may have no record sets, nothing else, or no facts', async t => {
  t.same(read({ lsn: 1, atMicros: 2, rowChanges: [zoneChange] }).changes, [zoneChange])
  const [row] = rows
  const insert = {
    collection: 'recordsets',
    id: uuidOf(0),
    before: undefined,
    after: row,
  } as Change
  const { changes, facts } = read({ lsn: 1, atMicros: 2, rowChanges: [{ ...insert }] })
  t.strictSame(changes, [insert])
  t.equal(facts, undefined)
})

t.test('changes get the rows that their entry has packed', async t => {
  const [first, second] = rows
  const change = (before: unknown, after: unknown) =>
    ({ collection: 'recordsets', id: uuidOf(0), before, after }) as Change
  const rowChanges = [change(undefined, first), change(first, second), change(second, undefined)]
  encodeCommit({ lsn: 1, atMicros: 2, rowChanges, added: [] })
  const packed = rowChanges.map(({ packedAfter }) => packedAfter)
  t.strictSame(
    packed.map(row => row && recordsetUnpacker.unpack(row)),
    [first, second, undefined],
  )
})

t.test('of a deletion whose row is not known, the id is', async t => {
  const gone = { collection: 'recordsets', id: 'x', before: undefined, after: undefined } as Change
  t.same(read({ lsn: 1, atMicros: 2, rowChanges: [gone] }).changes, [gone])
})

t.test('record sets come back packed, wherever the entry lies', async t => {
  const [first, second] = rows
  const rowChanges = [
    { collection: 'recordsets', id: uuidOf(0), before: first, after: second } as Change,
  ]
  const entry = encodeCommit({ lsn: 1, atMicros: 2, rowChanges, added: [] })
  for (let offset = 0; offset < 4; offset += 1) {
    const octets = Buffer.concat([Buffer.alloc(offset), entry]).subarray(offset)
    const [change] = decodeCommit(1, octets).changes as PackedChange[]
    t.same([change?.before, change?.after], [first, second])
    t.ok((change?.packedBefore?.wordCount ?? 0) > 0)
  }
})
