import t from 'tap'
import { readDocument, writeDocument } from '../../src/store/document.ts'
import { SimulatedDisk } from '../helpers/simulated-disk.ts'

const path = '/srv/store/system/things.json'

type Things = { readonly rows: readonly object[] }

async function write(disk: SimulatedDisk, document: Things): Promise<void> {
  await disk.makeDirectory('/srv/store/system')
  await writeDocument(disk, path, document)
}

const textOf = async (disk: SimulatedDisk) => (await disk.read(path))?.toString()

t.test('a document is JSON with a member a line, a row a line, and its checksum last', async t => {
  const disk = new SimulatedDisk()
  await write(disk, { rows: [{ id: 'a' }, { id: 'b', tags: ['x', 'é\n'] }] })
  t.equal(
    await textOf(disk),
    `{
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
    await write(disk, { rows })
    t.match(await readDocument<Things>(disk, path), { rows })
  }
})

t.test('a document with any octet changed, or cut anywhere, is not taken for whole', async t => {
  const disk = new SimulatedDisk()
  await write(disk, { rows: [{ id: 'a' }] })
  const { length } = (await textOf(disk)) ?? ''
  let taken = 0
  for (let at = 0; at < length; at += 1) {
    for (const change of [
      (octets: Buffer) => octets.subarray(0, at),
      (octets: Buffer) => Buffer.from(octets.map((octet, i) => (i === at ? octet ^ 1 : octet))),
    ]) {
      const damaged = new SimulatedDisk()
      await write(damaged, { rows: [{ id: 'a' }] })
      damaged.damage(path, change)
      await readDocument<Things>(damaged, path).then(
        () => {
          taken += 1
        },
        () => undefined,
      )
    }
  }
  t.equal(taken, 0)
})

t.test('a document of very many rows is written with pauses, and is whole', async t => {
  const disk = new SimulatedDisk()
  const rows = Array.from({ length: 20_000 }, (_, i) => ({ id: `row ${i}`, text: 'x'.repeat(50) }))
  let turns = 0
  const turn = () => {
    turns += 1
    immediate = setImmediate(turn)
  }
  let immediate = setImmediate(turn)
  await write(disk, { rows })
  clearImmediate(immediate)
  t.ok(turns > 1, 'others had their turn')
  t.equal((await readDocument<Things>(disk, path))?.rows.length, rows.length)
})
