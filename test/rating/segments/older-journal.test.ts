import t from 'tap'
import { frameOf } from '../../../src/durable/frame.ts'
import { readLog } from '../../../src/durable/log-recovery.ts'
import { ByteWriter } from '../../../src/rating/segments/byte-writer.ts'
import { listLog, repairOlderJournal } from '../../../src/rating/segments/older-journal.ts'
import { SimulatedDisk } from '../../helpers/simulated-disk.ts'

function frame(...records: readonly string[]): Buffer {
  const writer = new ByteWriter()
  writer.varint(records.length)
  for (const record of records) writer.text(record)
  return frameOf(writer.bytes)
}

async function diskOf(journals: Readonly<Record<string, Buffer>>) {
  const disk = new SimulatedDisk()
  await disk.makeDirectory('/j')
  for (const [name, octets] of Object.entries(journals))
    await (await disk.create(`/j/${name}.journal`)).append(octets)
  return disk
}

async function read(disk: SimulatedDisk, firstNeeded = 1) {
  const records: string[] = []
  const segments = await listLog(disk, '/j', firstNeeded)
  const apply = (number: number, record: Buffer) => void records.push(`${number}:${record}`)
  return { found: await readLog(disk, segments, { after: firstNeeded - 1, apply }), records }
}

t.test('records are numbered on from the first generation that is needed', async t => {
  const disk = await diskOf({
    '00000004': frame('old'),
    '00000007': Buffer.concat([frame('a', 'b'), frame('c')]),
    '00000008': frame('d'),
  })
  const { records, found } = await read(disk, 7)
  t.same(records, ['7:a', '8:b', '9:c', '10:d'])
  t.match(found, { lastNumber: 10, break: undefined })
})

t.test(
  'a torn end is left out, damage is not, and a repair keeps what is in front of it',
  async t => {
    const torn = await diskOf({
      '00000001': Buffer.concat([frame('a'), frame('b').subarray(0, -1)]),
    })
    t.match(await read(torn), { records: ['1:a'], found: { break: undefined } })
    const spoilt = frame('b')
    spoilt[13] = 0
    const path = '/j/00000001.journal'
    const damaged = await diskOf({ '00000001': Buffer.concat([frame('a'), spoilt, frame('c')]) })
    t.match(await read(damaged), { records: ['1:a'], found: { break: { isDamage: true } } })
    await repairOlderJournal(damaged, path)
    t.match(await read(damaged), { records: ['1:a'], found: { break: undefined } })
  },
)
