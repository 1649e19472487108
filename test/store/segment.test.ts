import t from 'tap'
import { recordsetUnpacker } from '../../src/model/packed-recordset.ts'
import type { Recordset } from '../../src/model/recordset.ts'
import { packRun, recordsetsOf } from '../../src/model/recordset-run.ts'
import { DeletedIds } from '../../src/store/changed-recordsets.ts'
import { lostRecordsets, readSegment, SegmentWriter } from '../../src/store/segment.ts'
import { SimulatedDisk } from '../helpers/simulated-disk.ts'
import { recordsetRow, uuidOf } from '../helpers/store-rows.ts'

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
