import t from 'tap'
import { parseName } from '../../src/dns/name.ts'
import { packedPlaces, recordsetUnpacker } from '../../src/model/packed-recordset.ts'
import {
  joinRun,
  packRun,
  type RecordsetRun,
  RunWriter,
  recordsetsOf,
  stampRun,
} from '../../src/model/recordset-run.ts'
import { octetsOfRrset } from '../../src/zone/rrset-octets.ts'
import { recordsetRow, testZoneId, uuidOf } from '../helpers/store-rows.ts'

const rowsOf = (run: RecordsetRun) =>
  [...recordsetsOf(run)].map(record => recordsetUnpacker.unpack(record))

const rows = Array.from({ length: 300 }, (_, i) =>
  recordsetRow({ id: uuidOf(i), name: `${'x'.repeat(i % 60)}h${i}.example.com.`, createdAt: i }),
)

t.test('a run gives back what it was packed from', async t => {
  t.same(rowsOf(packRun(rows)), rows)
  t.same(rowsOf(packRun([])), [])
})

t.test('a run can be made of recordsets of others, and have gaps', async t => {
  const records = [...recordsetsOf(packRun(rows))]
  t.same(rowsOf(joinRun(records.toReversed())), rows.toReversed())
  const writer = new RunWriter()
  writer.addOne(undefined)
  writer.add(rows[0] as never)
  writer.addOne(undefined)
  const [first, second, third] = recordsetsOf(writer.take())
  t.same([first?.wordCount, third?.wordCount], [0, 0])
  t.same(second && recordsetUnpacker.unpack(second), rows[0])
})

t.test('a writer that is cleared begins anew in the same memory', async t => {
  const writer = new RunWriter()
  writer.add(rows[0] as never)
  const first = Buffer.from(writer.octets)
  writer.clear()
  t.equal(writer.octets.length, 0)
  writer.add(rows[0] as never)
  t.same(writer.octets, first)
})

t.test('a writer begins anew with each run', async t => {
  const writer = new RunWriter()
  for (const row of rows.slice(0, 3)) writer.add(row)
  t.equal(writer.count, 3)
  const first = writer.take()
  t.equal(writer.count, 0)
  for (const row of rows.slice(3)) writer.add(row)
  t.same(rowsOf(first), rows.slice(0, 3))
  t.same(rowsOf(writer.take()), rows.slice(3))
})

t.test('new recordsets get ids in their order, random ones of version 4', async t => {
  const makeRun = () => {
    const writer = new RunWriter()
    for (let i = 0; i < 1000; i += 1) {
      const rrset = { type: 1, ttlSeconds: 60, rdatas: [Uint8Array.of(192, 0, 2, i)] }
      const octets = octetsOfRrset(parseName(`h${i}.example.com.`), rrset)
      writer.addRrset(octets, { isManaged: i % 2 === 0, ttlSeconds: null })
    }
    const run = writer.take()
    stampRun(run, { zoneId: testZoneId, createdAt: 2 ** 50 + 1 })
    return rowsOf(run)
  }
  const stamped = makeRun()
  t.same(
    stamped.map(({ name, isManaged, zoneId, createdAt, version, updatedAt }) => {
      return { name, isManaged, zoneId, createdAt, version, updatedAt }
    }),
    stamped.map((_, i) => ({
      name: `h${i}.example.com.`,
      isManaged: i % 2 === 0,
      zoneId: testZoneId,
      createdAt: 2 ** 50 + 1,
      version: 1,
      updatedAt: null,
    })),
  )
  const ids = stamped.map(({ id }) => id)
  t.same(ids, ids.toSorted())
  t.ok(
    ids.every(id =>
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id),
    ),
  )
  t.equal(new Set([...ids, ...makeRun().map(({ id }) => id)]).size, 2000)
})

t.test('a zone whose id is no UUID has no runs', async t => {
  t.throws(() => stampRun(packRun(rows), { zoneId: 'zone', createdAt: 1 }), RangeError)
})

t.test('ids ascend in a run of so many that the first words of some would be equal', async t => {
  const one = packRun(rows.slice(0, 1))
  const count = 300_000
  const run = new Uint32Array(count * one.length)
  for (let i = 0; i < count; i += 1) run.set(one, i * one.length)
  stampRun(run, { zoneId: testZoneId, createdAt: 1 })
  const firstWords = Array.from(recordsetsOf(run), ({ words, at }) => words[at + packedPlaces.id])
  t.equal(
    firstWords.findIndex((word, i) => i > 0 && (word ?? 0) <= (firstWords[i - 1] ?? 0)),
    -1,
  )
})
