import t, { type Test } from 'tap'
import { Bulk } from '../../src/bulk/bulk.ts'
import type { ZoneFileReading } from '../../src/bulk/read-zone-file.ts'
import { packRun } from '../../src/model/recordset-run.ts'
import { recordsetRow, uuidOf } from '../helpers/store-rows.ts'

const limits = { hashSeed: 3, maxRecordsets: -1, maxRecords: -1, minTtlSeconds: 0 }
const head = '$ORIGIN a.example.\n$TTL 600\n@ SOA ns ops 1 2 3 4 5\n'
const octetsOf = (text: string) => new TextEncoder().encode(head + text)

async function readTwice(t: Test, text: string): Promise<readonly ZoneFileReading[]> {
  const [here, there] = [new Bulk({ maxThreads: 0 }), new Bulk({ maxThreads: 1 })]
  t.teardown(() => there.close())
  return Promise.all(
    [here, there].map(bulk => bulk.readZoneFile({ ...limits, pieces: [octetsOf(text)] }, 'one')),
  )
}

t.test('a thread reads a file as it is read at once', async t => {
  const lines = Array.from({ length: 5000 }, (_, i) => `h${i} A 10.0.0.1\nh${i} 60 TXT "n ${i}"\n`)
  for (const text of [
    lines.join(''),
    `${lines.join('')}bad A x\n`,
    '$GENERATE 1-9 h$ A 10.0.0.$\n',
  ]) {
    const [here, there] = await readTwice(t, text)
    t.same(there, here)
  }
})

t.test(
  'a small file is read at once, and one that makes many records of a line is not',
  async t => {
    const bulk = new Bulk({ maxThreads: 1 })
    t.teardown(() => bulk.close())
    const small = octetsOf('h A 10.0.0.1\n')
    t.match(await bulk.readZoneFile({ ...limits, pieces: [small] }, 'one'), { kind: 'read' })
    t.not(small.length, 0, 'its memory is still there')
    const series = octetsOf('$generate 1-2 h$ A 10.0.0.1\n')
    t.match(await bulk.readZoneFile({ ...limits, pieces: [series] }, 'one'), {
      size: { recordsets: 2 },
    })
    t.equal(series.length, 0, 'its memory was given away')
  },
)

t.test('zones are held against each other alike, here and in a thread', async t => {
  const bulks = [new Bulk({ maxThreads: 0 }), new Bulk({ maxThreads: 1 })]
  t.teardown(() => bulks[1]?.close())
  const rows = (from: number, to: number, address: string) =>
    packRun(
      Array.from({ length: to - from }, (_, i) =>
        recordsetRow({
          id: uuidOf(from + i),
          name: `h${from + i}.example.com.`,
          records: [address],
        }),
      ),
    )
  const [here, there] = await Promise.all(
    bulks.map(bulk =>
      bulk.compareRuns(
        {
          stored: [rows(0, 3000, '192.0.2.1')],
          next: [rows(500, 2000, '192.0.2.1'), rows(2000, 4000, '192.0.2.2')],
          sameness: 'file',
          keepsManaged: true,
          hashSeed: 7,
        },
        'one',
      ),
    ),
  )
  t.same(there, here)
  t.match(here, {
    added: { length: 1000 },
    changedIds: { length: 1000 },
    removedIds: { length: 500 },
  })
})
