import t from 'tap'
import { frameHeaderLength, frameLengthAt } from '../../src/durable/frame.ts'
import { recordsetUnpacker } from '../../src/model/packed-recordset.ts'
import type { Recordset } from '../../src/model/recordset.ts'
import { packRun, recordsetsOf } from '../../src/model/recordset-run.ts'
import { DeletedIds } from '../../src/store/changed-recordsets.ts'
import { lostRecordsets, readSegment, SegmentWriter } from '../../src/store/segment.ts'
import { SimulatedDisk } from '../helpers/simulated-disk.ts'
import { recordsetRow, testZoneId, uuidOf } from '../helpers/store-rows.ts'
import { textsLikeFrames } from '../helpers/texts-like-frames.ts'

const path = '/srv/1.segment'

/** Record sets of three zones; one is kept as JSON, one is longer than a usual frame. */
const rows = Array.from({ length: 4000 }, (_, i) =>
  recordsetRow({
    id: i === 5 ? 'odd' : uuidOf(i),
    zoneId: uuidOf(9000 + (i % 3)),
    name: `host${i}.`,
    ...(i === 7 && { type: 'TXT', records: Array.from({ length: 5000 }, () => 'x'.repeat(60)) }),
  }),
)

async function written(rows: readonly Recordset[], deleted: readonly string[] = []) {
  const disk = new SimulatedDisk()
  await disk.makeDirectory('/srv')
  const writer = await SegmentWriter.create(disk, path)
  const ids = new DeletedIds()
  for (const id of deleted) ids.addId(id)
  await writer.addDeleted(ids)
  for (const record of recordsetsOf(packRun(rows))) if (writer.add(record)) await writer.flush()
  await writer.finish()
  await writer.close()
  t.equal(await disk.size(path), writer.octetCount)
  return disk
}

async function read(disk: SimulatedDisk) {
  const found = { rows: [] as Recordset[], deleted: [] as string[], damaged: [] as number[] }
  for await (const frame of readSegment(disk, path)) {
    if (frame.kind === 'rows')
      for (const record of frame.rows) found.rows.push(recordsetUnpacker.unpack(record))
    else if (frame.kind === 'deleted') found.deleted.push(...frame.ids)
    else if (frame.kind === 'damaged') found.damaged.push(frame.at)
  }
  return found
}

t.test('a segment gives back what was written, in order', async t => {
  const deleted = [uuidOf(1), 'odd one', uuidOf(2)]
  const found = await read(await written(rows, deleted))
  t.strictSame(found.rows, rows)
  t.same(found.deleted.toSorted(), deleted.toSorted())
  t.same(found.damaged, [])
})

t.test('without record sets it is whole too', async t => {
  t.same(await read(await written([])), { rows: [], deleted: [], damaged: [] })
})

t.test('of a damaged segment all other frames are read, and zones say what is lost', async t => {
  const disk = await written(rows)
  disk.damage(path, octets => {
    octets[octets.indexOf('host3000')] = 0
    return octets
  })
  const found = await read(disk)
  t.equal(found.damaged.length, 1)
  const lost = rows.filter(({ id }) => !found.rows.some(row => row.id === id))
  t.ok(lost.some(({ name }) => name === 'host3000.'))
  t.ok(lost.length < 2000, `${lost.length} are lost`)
  const counts = new Map<string, number>()
  for (const { zoneId } of lost) counts.set(zoneId, (counts.get(zoneId) ?? 0) + 1)
  t.same([...(await lostRecordsets(disk, path))].sort(), [...counts].sort())
})

/** Record sets with as many values, some of which look like frames. */
function manyLikeFrames(count: number, values: number): readonly Recordset[] {
  return Array.from({ length: count }, (_, i) => {
    const longs = Array.from({ length: values }, () => `"${'x'.repeat(250)}"`)
    const records = i % 3 === 1 ? [...longs, ...textsLikeFrames(uuidOf(0))] : longs
    return recordsetRow({ id: uuidOf(i), name: `host${i}.`, type: 'TXT', records })
  })
}

/** Where the frames of a segment begin. */
async function frameStarts(disk: SimulatedDisk): Promise<readonly number[]> {
  const octets = (await disk.read(path)) ?? Buffer.alloc(0)
  const starts: number[] = []
  for (let at = 0; at < octets.length; at += frameLengthAt(octets, at) ?? octets.length)
    starts.push(at)
  return starts
}

/** Reads a segment after some of its octets have changed. */
function readChanged(disk: SimulatedDisk, from: number, length: number) {
  disk.damage(path, octets => octets.fill(0xa5, from, from + length))
  return read(disk)
}

t.test('what looks like a frame, in a damaged one, is none', async t => {
  const rows = manyLikeFrames(2000, 2)
  const [, second = 0, third = 0] = await frameStarts(await written(rows))
  for (const at of [second + 8, second + frameHeaderLength, second + 5000, third - 1]) {
    const found = await readChanged(await written(rows), at, 1)
    t.same(found.deleted, [])
    t.same(found.damaged, [second])
    t.ok(found.rows.length > 1000, `${found.rows.length} of 2000 are left`)
    t.same(found.rows.at(-1), rows.at(-1))
  }
})

t.test('where a header is damaged, less than the next five mebibytes is lost', async t => {
  const rows = manyLikeFrames(120, 200)
  const [, second = 0, third = 0] = await frameStarts(await written(rows))
  for (const length of [1, frameHeaderLength, third - second + frameHeaderLength]) {
    const disk = await written(rows)
    const found = await readChanged(disk, second, length)
    t.same(found.deleted, [])
    t.same(found.damaged, [second])
    t.same(found.rows.at(0), rows.at(0))
    t.same(found.rows.at(-1), rows.at(-1))
    t.equal((await lostRecordsets(disk, path)).get(testZoneId), 120 - found.rows.length)
  }
})

t.test(
  'behind a damaged header nothing is trusted if a record set seems to reach further',
  async t => {
    const rows = manyLikeFrames(120, 200)
    const [, second = 0] = await frameStarts(await written(rows))
    const long = recordsetRow({
      id: uuidOf(500),
      type: 'TXT',
      records: ['', '.', '..', '...'].map(before => `"${before}ZwRf\\000\\0008\\000"`),
    })
    const found = await readChanged(
      await written([...rows.slice(0, 30), long, ...rows.slice(30)]),
      second,
      1,
    )
    t.same(found.damaged, [second])
    t.ok(found.rows.length < 20, `${found.rows.length}`)
  },
)

t.test('no octet can change, nor be missing at the end, without being noticed', async t => {
  const few = rows.slice(0, 3)
  const size = await (await written(few, [uuidOf(8)])).size(path)
  const unnoticed: number[] = []
  for (let at = 0; at < size; at += 1) {
    for (const change of [
      (octets: Buffer) => octets.fill((octets[at] ?? 0) ^ 1, at, at + 1),
      (octets: Buffer) => octets.subarray(0, at),
    ]) {
      const disk = await written(few, [uuidOf(8)])
      disk.damage(path, change)
      const { rows, deleted, damaged } = await read(disk)
      // A segment that is cut between two frames is known by its size, which the manifest has.
      const isNoticed = damaged.length > 0 || (await disk.size(path)) < size
      if (!isNoticed || rows.length + deleted.length > 4) unnoticed.push(at)
    }
  }
  t.same(unnoticed, [])
})
