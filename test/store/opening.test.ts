import t from 'tap'
import type { Recordset } from '../../src/model/recordset.ts'
import { packRun, recordsetsOf } from '../../src/model/recordset-run.ts'
import type { Zone } from '../../src/model/zone.ts'
import { writeDocument } from '../../src/store/document.ts'
import { everything, keyOf } from '../../src/store/indexes.ts'
import { documentOf, documentPath, segmentPath } from '../../src/store/layout.ts'
import { beginLowdbStore, type LowdbStoreOptions } from '../../src/store/lowdb-store.ts'
import { isManifest, readManifests, writeManifest } from '../../src/store/manifest.ts'
import type { Moment } from '../../src/store/recovery.ts'
import { SegmentWriter } from '../../src/store/segment.ts'
import { fakeClock } from '../helpers/clock.ts'
import { openIn } from '../helpers/crash-points.ts'
import { SimulatedDisk } from '../helpers/simulated-disk.ts'
import { recordsetRow, testZoneId, uuidOf, zoneRow } from '../helpers/store-rows.ts'

// A store opens in parts, so that zones are served when as much is done as that takes.

const directory = '/srv/store'
const zone = zoneRow()
const begin = (files: SimulatedDisk, options: Partial<LowdbStoreOptions> = {}) =>
  beginLowdbStore({ directory, clock: fakeClock(), files, ...options })
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

/** Adds a document with a zone to a store. */
async function addZoneDocument(disk: SimulatedDisk, row: Zone): Promise<void> {
  const { current } = await readManifests({ files: disk, directory })
  if (!isManifest(current)) throw new Error('there is no manifest')
  const name = documentOf('zones', row.id)
  await writeDocument(disk, documentPath(directory, name, 2), { _lsn: 1, rows: [row] })
  const documents = [...current.documents, { name, generation: 2 }]
  await writeManifest({ files: disk, directory }, { ...current, documents })
}

t.test(
  'zones are there by id first, then by all indexes and recordsets by their zone, then the rest',
  async t => {
    const store = await begin(await filledDisk())
    const zoneKey = keyOf(zone.poolId, zone.name)
    t.same(store.get('zones', zone.id), zone)
    t.same([...store.rows('zones')], [zone])
    t.throws(() => store.find('zones', 'byName', zoneKey), /still being indexed/)
    t.throws(() => store.count('zones', 'all', everything), /still being indexed/)
    t.throws(() => store.count('recordsets', 'byZone', testZoneId), /still being indexed/)
    await t.rejects(
      store.commit(tx => tx.put('zones', zone)),
      /not there yet/,
    )

    await store.loadRecordsets()
    t.same(store.find('zones', 'byName', zoneKey), zone)
    t.equal(store.count('zones', 'all', everything), 1)
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
  },
)

t.test('a store that is found damaged when it is indexed writes no checkpoint', async t => {
  const disk = await filledDisk()
  const twin = { ...host(1), id: uuidOf(9), createdAt: 9 }
  await addSegment(disk, [twin])
  const before = disk.paths
  const store = await begin(disk)
  await store.loadRecordsets()
  await store.commit(tx => tx.put('zones', { ...zone, version: 2 }))
  const message = /has the same byNameAndType as/
  await t.rejects(store.finishOpening(), { name: 'DamageError', message })
  await store.close()
  t.same(disk.paths, before)
  await t.rejects(openIn(disk), { name: 'DamageError', message })
})

t.test(
  'zones that claim one name are found when they are indexed, before anything is changed',
  async t => {
    const disk = await filledDisk()
    await addZoneDocument(disk, { ...zone, id: uuidOf(9) })
    const store = await begin(disk)
    const message = /has the same byName as/
    await t.rejects(store.loadRecordsets(), { name: 'DamageError', message })
    await t.rejects(
      store.commit(tx => tx.put('zones', zone)),
      /not there yet/,
    )
    await store.close()
  },
)

t.test('the commits behind a moment are known where the log has them', async t => {
  const disk = new SimulatedDisk()
  const [one, two, three] = await threeCommits(disk, { historyOctets: 2 ** 20 })
  t.same(await behind(disk, one), [[uuidOf(2)], [uuidOf(3)]])
  t.same(await behind(disk, three), [], 'the last one')
  t.equal(await behind(disk, { ...two, atMicros: two.atMicros + 1 }), undefined, 'none that was')
  t.equal(await behind(disk, { ...three, lsn: 4 }), undefined, 'more than there is')

  const shortened = new SimulatedDisk()
  await threeCommits(shortened, {})
  t.equal(await behind(shortened, one), undefined, 'the log has it no more')
  t.same(await behind(shortened, three), [], 'the manifest has it')
})

t.test('a log that somebody else needs is kept', async t => {
  const disk = new SimulatedDisk()
  const [one] = await threeCommits(disk, { keptBehind: () => 0 })
  t.same(await behind(disk, one), [[uuidOf(2)], [uuidOf(3)]])
})

/** Makes three commits, with a checkpoint behind each. */
async function threeCommits(
  disk: SimulatedDisk,
  options: Partial<LowdbStoreOptions>,
): Promise<[Moment, Moment, Moment]> {
  const store = await openIn(disk, options)
  const moments: Moment[] = []
  for (const number of [1, 2, 3]) {
    const atMicros = await store.commit(tx => {
      if (number === 1) tx.put('zones', zone)
      tx.put('recordsets', host(number))
      return tx.atMicros
    })
    moments.push({ lsn: store.lastLsn, atMicros })
    await store.checkpoint()
  }
  await store.close()
  return moments as [Moment, Moment, Moment]
}

/** The ids that were changed by each commit behind a moment. */
async function behind(disk: SimulatedDisk, moment: Moment) {
  const store = await begin(disk, { findMoment: async () => moment })
  const commits = store.commitsBehind()
  await store.close()
  return commits && Array.from(commits, ({ changes }) => changes.map(({ id }) => id))
}
