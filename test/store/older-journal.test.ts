import t from 'tap'
import { checksum } from '../../src/durable/checksum.ts'
import { LogHistory } from '../../src/durable/log-history.ts'
import { readLog } from '../../src/durable/log-recovery.ts'
import { encodeBatch } from '../../src/durable/log-segment.ts'
import { packRun } from '../../src/model/recordset-run.ts'
import { decodeCommit } from '../../src/store/commit-entry.ts'
import { listOlderSegments } from '../../src/store/older-journal.ts'
import { SimulatedDisk } from '../helpers/simulated-disk.ts'
import { recordsetRow, uuidOf, zoneRow } from '../helpers/store-rows.ts'
import { textOf } from '../helpers/texts-like-frames.ts'

function lineOf(lsn: number, batch: number, more: object = {}): string {
  const body = JSON.stringify({ lsn, at: 10 * lsn, batch, changes: [], ...more }).slice(0, -1)
  return `${body},"crc":"${checksum(body)}"}\n`
}

async function read(...files: readonly string[]) {
  const disk = new SimulatedDisk()
  await disk.makeDirectory('/journal')
  let first = 1
  for (const text of files) {
    const file = await disk.create(`/journal/${String(first).padStart(16, '0')}.ndjson`)
    await file.append(Buffer.from(text))
    first += text.split('\n').length - 1
  }
  const commits: ReturnType<typeof decodeCommit>[] = []
  const apply = (lsn: number, entry: Buffer) => void commits.push(decodeCommit(lsn, entry))
  const segments = await listOlderSegments(disk, '/journal')
  return { commits, found: await readLog(disk, segments, { after: 0, apply }) }
}

const torn = (line: string) => line.replace('"at"', '"AT"')

t.test('lines are read as commits, with what came packed behind the rows', async t => {
  const packed = recordsetRow({ id: uuidOf(3), name: 'packed.example.com.' })
  const { buffer, byteOffset, byteLength } = packRun([packed])
  const { commits, found } = await read(
    lineOf(1, 1, {
      changes: [
        { collection: 'zones', id: zoneRow().id, row: zoneRow() },
        { collection: 'recordsets', id: uuidOf(1), row: recordsetRow() },
        { collection: 'recordsets', id: uuidOf(2), row: null },
      ],
      packed: Buffer.from(buffer, byteOffset, byteLength).toString('base64'),
      facts: ['noted'],
    }),
    lineOf(2, 2),
  )
  t.equal(found.lastNumber, 2)
  t.match(commits, [{ lsn: 1, atMicros: 10, facts: ['noted'] }, { lsn: 2 }])
  const after = new Map(
    commits[0]?.changes.map(change => [change.collection + change.id, change.after]),
  )
  t.same(after.get(`zones${zoneRow().id}`), zoneRow())
  t.same(after.get(`recordsets${recordsetRow().id}`), recordsetRow())
  t.ok(after.has(`recordsets${uuidOf(2)}`))
  t.same(after.get(`recordsets${uuidOf(3)}`), packed)
})

t.test(
  'what a crash left of the last batch is left out, whole lines behind a torn one too',
  async t => {
    for (const end of [
      torn(lineOf(3, 2)) + lineOf(4, 2),
      lineOf(3, 2).slice(0, -9),
      '\0'.repeat(99),
    ]) {
      const { commits, found } = await read(lineOf(1, 1) + lineOf(2, 2) + end)
      t.same(
        commits.map(({ lsn }) => lsn),
        [1, 2],
      )
      t.equal(found.break, undefined)
    }
  },
)

t.test('a line that a later batch or file follows is damage', async t => {
  const inBatch = await read(torn(lineOf(1, 1)) + lineOf(2, 2))
  t.match(inBatch, { commits: [], found: { break: { isDamage: true } } })
  const inFile = await read(lineOf(1, 1) + torn(lineOf(2, 2)), lineOf(3, 3))
  t.match(inFile, { commits: [{ lsn: 1 }], found: { break: { isDamage: true } } })
  t.equal((await read(lineOf(1, 1) + lineOf(3, 3))).found.break?.isDamage, true, 'a gap')
})

t.test('what a record contains is not taken for a commit where history is searched', async t => {
  const disk = new SimulatedDisk()
  await disk.makeDirectory('/journal')
  const file = await disk.create('/journal/0000000000000001.ndjson')
  const batch = encodeBatch({ first: 15, entries: [Buffer.from('crafted')] }, Buffer.from('past'))
  for (let lsn = 1; lsn <= 20; lsn += 1) {
    const records = Array.from({ length: 1500 + 7 * lsn }, () => `"${textOf(batch)}"`)
    const row = recordsetRow({ type: 'TXT', version: lsn, records })
    const changes = [{ collection: 'recordsets', id: row.id, row }]
    await file.append(Buffer.from(lineOf(lsn, lsn, { changes })))
  }
  const segments = await listOlderSegments(disk, '/journal')
  const history = new LogHistory({ files: disk, segments: () => segments, lastNumber: () => 20 })
  const commits: number[] = []
  for await (const { number, entry } of history.read(14))
    commits.push(decodeCommit(number, entry).atMicros)
  t.same(commits, [150, 160, 170, 180, 190, 200])
})
