import t from 'tap'
import { readDocument, writeDocument } from '../../src/store/document.ts'
import { SimulatedDisk } from '../helpers/simulated-disk.ts'

const path = '/srv/store/system/things.json'

type Things = { readonly _lsn: number; readonly rows: readonly object[] }

async function write(disk: SimulatedDisk, ...documents: readonly Things[]): Promise<void> {
  await disk.makeDirectory('/srv/store/system')
  for (const document of documents) await writeDocument(disk, path, document)
}

const textOf = async (disk: SimulatedDisk) => (await disk.read(path))?.toString()

t.test('a document is JSON with a member a line, a row a line, and its checksum last', async t => {
  const disk = new SimulatedDisk()
  await write(disk, { _lsn: 7, rows: [{ id: 'a' }, { id: 'b', tags: ['x', 'é\n'] }] })
  t.equal(
    await textOf(disk),
    `{
  "_lsn": 7,
  "rows": [
    {"id":"a"},
    {"id":"b","tags":["x","é\\n"]}
  ],
  "_crc": "${/"_crc": "([0-9a-f]{8})"/.exec((await textOf(disk)) ?? '')?.[1]}"
}
`,
  )
})

t.test('a document is read as it was written, with rows or without', async t => {
  for (const rows of [[], [{ id: 'a' }]]) {
    const disk = new SimulatedDisk()
    await write(disk, { _lsn: 1, rows })
    const { document, isPrevious, problem } = await readDocument<Things>(disk, path)
    t.match({ document, isPrevious, problem }, { document: { _lsn: 1, rows }, isPrevious: false })
    t.equal(problem, undefined)
  }
})

t.test('a document with any octet changed, or cut anywhere, is not taken for whole', async t => {
  const disk = new SimulatedDisk()
  await write(disk, { _lsn: 1, rows: [{ id: 'a' }] })
  const { length } = (await textOf(disk)) ?? ''
  let taken = 0
  for (let at = 0; at < length; at += 1) {
    for (const change of [
      (octets: Buffer) => octets.subarray(0, at),
      (octets: Buffer) => Buffer.from(octets.map((octet, i) => (i === at ? octet ^ 1 : octet))),
    ]) {
      const damaged = new SimulatedDisk()
      await write(damaged, { _lsn: 1, rows: [{ id: 'a' }] })
      damaged.damage(path, change)
      const { document, problem } = await readDocument<Things>(damaged, path)
      if (document !== null || problem === undefined) taken += 1
    }
  }
  t.equal(taken, 0)
})

t.test('where a document cannot be read, the one before stands in', async t => {
  const disk = new SimulatedDisk()
  await write(disk, { _lsn: 1, rows: [] }, { _lsn: 2, rows: [] })
  disk.damage(path, () => Buffer.from('rubbish'))
  t.match(await readDocument<Things>(disk, path), { document: { _lsn: 1 }, isPrevious: true })
})
