import t from 'tap'
import type { ShardDocument } from '../../src/store/layout.ts'
import { openIn } from '../helpers/crash-points.ts'
import { SimulatedDisk } from '../helpers/simulated-disk.ts'
import { recordsetRow, testZoneId, uuidOf, zoneRow } from '../helpers/store-rows.ts'

const rowsPerShard = 10

const recordset = (i: number) =>
  recordsetRow({ id: uuidOf(i), createdAt: 10 + i, name: `host${i}.example.com.` })

const isShard = (path: string) => path.includes(`${testZoneId}.d/`)

t.test('a zone that grows while its shards are written makes none of them long', async t => {
  const disk = new SimulatedDisk()
  const store = await openIn(disk, { rowsPerShard })
  const put = (from: number, to: number) =>
    store.commit(tx => {
      for (let i = from; i < to; i += 1) tx.put('recordsets', recordset(i))
    })
  await store.commit(tx => tx.put('zones', zoneRow()))
  await put(0, 50)
  let isFirst = true
  disk.before = async ({ kind, path }) => {
    if (!isFirst || kind !== 'sync' || !isShard(path)) return
    isFirst = false
    await put(50, 500)
  }
  await store.checkpoint()
  const lengths: number[] = []
  for (const path of disk.paths.filter(isShard)) {
    const { recordsets } = JSON.parse(String(await disk.read(path))) as ShardDocument
    lengths.push(recordsets.length)
  }
  t.same(lengths, [10, 10, 10, 10, 10])
  t.equal(store.count('recordsets', 'byZone', testZoneId), 500)
})
