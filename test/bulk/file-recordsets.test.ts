import t from 'tap'
import { readZoneFile, type ZoneFileContents } from '../../src/bulk/read-zone-file.ts'
import { recordsetUnpacker } from '../../src/model/packed-recordset.ts'
import { recordsetsOf } from '../../src/model/recordset-run.ts'

const head = '$ORIGIN a.example.\n@ 60 SOA ns ops 1 2 3 4 5\n'
const limits = { hashSeed: 0, maxRecordsets: -1, maxRecords: -1, minTtlSeconds: 0 }

function read(text: string): ZoneFileContents {
  const reading = readZoneFile({ ...limits, pieces: [new TextEncoder().encode(head + text)] })
  if (reading.kind === 'refused') throw new Error(reading.message)
  return reading
}

function runLengths(text: string): number[] {
  return read(text).packed.map(({ run, lines }) => {
    const { length } = [...recordsetsOf(run)]
    return length === lines.length ? length : Number.NaN
  })
}

t.test('a run is no more than other changes can wait for', async t => {
  t.strictSame(runLengths('$GENERATE 1-5000 h$ A 192.0.2.1\n'), [2000, 2000, 1000])
  t.strictSame(runLengths('$GENERATE 1-2000 h$ A 192.0.2.1\n'), [2000])
  const records = Array.from({ length: 200 }, (_, i) => `$GENERATE 1-60 h$ A 192.0.2.${i}\n`)
  t.strictSame(runLengths(records.join('')), [40, 20])
})

t.test('a zone without recordsets of its own is one run', async t => {
  t.strictSame(runLengths('@ NS ns\n'), [0])
})

t.test(
  'what differs in the case of a name is one record, and in the case of a text is not',
  async t => {
    const { packed, size } = read('x TXT a\nx TXT A\ny NS b\ny NS B\n')
    const rows = [...recordsetsOf(packed[0]?.run ?? new Uint32Array())]
    t.strictSame(
      rows.map(record => recordsetUnpacker.unpack(record).records),
      [['"a"', '"A"'], ['b.a.example.']],
    )
    t.strictSame(size, { recordsets: 2, records: 3, recordsetRecords: 2 })
    t.strictSame([...(packed[0]?.lines ?? [])], [3, 5])
  },
)
