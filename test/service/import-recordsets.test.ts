import t from 'tap'
import { recordsetUnpacker } from '../../src/model/packed-recordset.ts'
import { recordsetsOf } from '../../src/model/recordset-run.ts'
import { importSteps } from '../../src/service/import-recordsets.ts'
import { readZoneFile } from '../../src/service/zone-file-contents.ts'

const reading = { hashSeed: 0, maxRecordsets: -1 }

const head = '$ORIGIN a.example.\n@ 60 SOA ns ops 1 2 3 4 5\n'

async function stepsOf(text: string): Promise<number[]> {
  const contents = await readZoneFile(head + text, reading)
  return [...importSteps(contents)].map(({ numbers, run }) => {
    const { length } = [...recordsetsOf(run)]
    return length === numbers.length ? length : Number.NaN
  })
}

t.test('a step is no more than other changes can wait for', async t => {
  t.strictSame(await stepsOf('$GENERATE 1-1250 h$ A 192.0.2.1\n'), [500, 500, 250])
  t.strictSame(await stepsOf('$GENERATE 1-500 h$ A 192.0.2.1\n'), [500])
  const records = Array.from({ length: 200 }, (_, i) => `$GENERATE 1-20 h$ A 192.0.2.${i}\n`)
  const steps = await stepsOf(records.join(''))
  t.strictSame(steps, [10, 10])
})

t.test('a zone without record sets of its own is one step', async t => {
  t.strictSame(await stepsOf('@ NS ns\n'), [0])
})

t.test(
  'what differs in the case of a name is one record, and in the case of a text is not',
  async t => {
    const contents = await readZoneFile(`${head}x TXT a\nx TXT A\ny NS b\ny NS B\n`, reading)
    const [step] = importSteps(contents)
    const rows = [...recordsetsOf(step?.run ?? new Uint32Array())]
    t.strictSame(
      rows.map(record => recordsetUnpacker.unpack(record).records),
      [['"a"', '"A"'], ['b.a.example.']],
    )
  },
)
