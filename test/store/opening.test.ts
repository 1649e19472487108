import t from 'tap'
import type { Recordset } from '../../src/model/recordset.ts'
import { packRun, recordsetsOf } from '../../src/model/recordset-run.ts'
import { keyOf } from '../../src/store/indexes.ts'
import { segmentPath } from '../../src/store/layout.ts'
import { beginLowdbStore } from '../../src/store/lowdb-store.ts'
import { isManifest, readManifests, writeManifest } from '../../src/store/manifest.ts'
import { SegmentWriter } from '../../src/store/segment.ts'
import { fakeClock } from '../helpers/clock.ts'
import { openIn } from '../helpers/crash-points.ts'
import { SimulatedDisk } from '../helpers/simulated-disk.ts'
import { recordsetRow, testZoneId, uuidOf, zoneRow } from '../helpers/store-rows.ts'

// A store opens in two parts, so that zones are served when the first is done.

const directory = '/srv/store'
const zone = zoneRow()
const begin = (files: SimulatedDisk) => beginLowdbStore({ directory, clock: fakeClock(), files })
const host = (number: number) =>
  recordsetRow({ id: uuidOf(number), createdAt: number, name: `host${number}.example.com.` })
const hostKey = keyOf(testZoneId, host(1).name, host(1).type)

async function filledDisk(): Promise<SimulatedDisk> {
  const disk = new SimulatedDisk()
  const store = await openIn(disk)
  await store.commit(tx => {
    tx.put('zones', zone)
    for (const number of [1, 2, 3]) tx.put('recordsets', host(number))
  })
  await store.close()
  return disk
}

/** Adds a segment to a store of one generation. */
async function addSegment(disk: SimulatedDisk, rows: readonly Recordset[]): Promise<void> {
  const writer = await SegmentWriter.create(disk, segmentPath(directory, 2))
  for (const record of recordsetsOf(packRun(rows))) writer.add(record)
  await writer.finish()
  const { current } = await readManifests({ files: disk, directory })
  if (!isManifest(current)) throw new Error('there is no manifest')
  const { rowCount, octetCount } = writer
  const segment = { generation: 2, octets: octetCount, rows: rowCount }
  const manifest = { ...current, generation: 2, segments: [...current.segments, segment] }
  await writeManifest({ files: disk, directory }, manifest)
}

t.test('what zones are served from is there before the rest', async t => {
  const store = await begin(await filledDisk())
  t.same(store.find('zones', 'byName', keyOf(zone.poolId, zone.name)), zone)
  const ids = [...store.list('recordsets', 'byZone', testZoneId)].map(({ id }) => id)
  t.same(ids, [1, 2, 3].map(uuidOf))
  t.equal(store.count('recordsets', 'byZone', testZoneId), 3)
  t.same(store.get('recordsets', uuidOf(2)), host(2))
  t.throws(() => store.find('recordsets', 'byNameAndType', hostKey), /still being indexed/)
  t.throws(() => store.sum('recordsets', 'recordsOfZone', testZoneId), /still being indexed/)
  await t.rejects(
    store.commit(tx => tx.put('recordsets', host(4))),
    /still being indexed/,
  )
  await store.finishOpening()
  t.same(store.find('recordsets', 'byNameAndType', hostKey), host(1))
  t.equal(store.sum('recordsets', 'recordsOfZone', testZoneId), 3)
  await store.commit(tx => tx.put('recordsets', host(4)))
  t.equal(store.count('recordsets', 'byZone', testZoneId), 4)
})

t.test('a store without record sets has nothing to finish', async t => {
  const store = await begin(new SimulatedDisk())
  await store.commit(tx => {
    tx.put('zones', zone)
    tx.put('recordsets', host(1))
  })
  t.same(store.find('recordsets', 'byNameAndType', hostKey), host(1))
})

t.test('a store that is found damaged in the second part writes no checkpoint', async t => {
  const disk = await filledDisk()
  const twin = { ...host(1), id: uuidOf(9), createdAt: 9 }
  await addSegment(disk, [twin])
  const before = disk.paths
  const store = await begin(disk)
  await store.commit(tx => tx.put('zones', { ...zone, version: 2 }))
  const message = /has the same byNameAndType as/
  await t.rejects(store.finishOpening(), { name: 'DamageError', message })
  await store.close()
  t.same(disk.paths, before)
  await t.rejects(openIn(disk), { name: 'DamageError', message })
})
