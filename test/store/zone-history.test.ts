import t from 'tap'
import type { LowdbStore } from '../../src/store/lowdb-store.ts'
import type { ZoneCommit } from '../../src/store/store.ts'
import { openIn } from '../helpers/crash-points.ts'
import { SimulatedDisk } from '../helpers/simulated-disk.ts'
import { recordsetRow, testZoneId, uuidOf, zoneRow } from '../helpers/store-rows.ts'

const otherId = uuidOf(1_000)
const thirdId = uuidOf(1_001)

/** Changes a recordset of a zone and the serial. */
function change(store: LowdbStore, zoneId: string, serial: number): Promise<void> {
  return store.commit(tx => {
    tx.put('zones', zoneRow({ id: zoneId, name: `${zoneId}.example.`, version: serial, serial }))
    const id = uuidOf(Number.parseInt(zoneId.slice(-4), 16))
    tx.put('recordsets', recordsetRow({ id, zoneId, version: serial }))
  })
}

async function listed<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

async function found(store: LowdbStore, zoneId: string): Promise<ZoneCommit[]> {
  return listed(store.zoneCommits(zoneId))
}

async function serialsOf(store: LowdbStore, zoneId = testZoneId): Promise<unknown[]> {
  return (await found(store, zoneId)).map(({ serial }) => serial)
}

/** A zone that is changed in each of four segments of the log, beside another. */
async function segmented(disk = new SimulatedDisk()): Promise<LowdbStore> {
  const store = await openIn(disk, { historyOctets: 1_000_000 })
  for (const serial of [1, 2, 3, 4]) {
    await Promise.all([change(store, testZoneId, 2 * serial - 1), change(store, otherId, serial)])
    await change(store, testZoneId, 2 * serial)
    await store.checkpoint()
  }
  return store
}

t.test('the commits of a zone are found, newest first', async t => {
  const store = await segmented()
  t.same(await serialsOf(store), [8, 7, 6, 5, 4, 3, 2, 1])
  t.same(await serialsOf(store, otherId), [4, 3, 2, 1])
  t.same(await serialsOf(store, thirdId), [])
})

t.test('they are read with the rows before and after', async t => {
  const store = await segmented()
  const commits = (await found(store, testZoneId)).toReversed()
  const all = await listed(store.history(0))
  const read = await listed(store.readCommits(commits))
  t.same(
    read.map(({ lsn, atMicros }) => ({ lsn, atMicros })),
    commits.map(({ lsn, atMicros }) => ({ lsn, atMicros })),
  )
  for (const commit of read) {
    const same = all.find(({ lsn }) => lsn === commit.lsn)
    t.same(JSON.stringify(commit.changes), JSON.stringify(same?.changes))
  }
  const some = commits.filter(({ serial }) => serial === 2 || serial === 7)
  const lsns = (await listed(store.readCommits(some))).map(({ lsn }) => lsn)
  t.same(
    lsns,
    some.map(({ lsn }) => lsn),
  )
})

t.test('a store that is opened again finds the same, and what comes then', async t => {
  const disk = new SimulatedDisk()
  const before = await found(await segmented(disk), testZoneId)
  const store = await openIn(disk, { historyOctets: 1_000_000 })
  await change(store, testZoneId, 9)
  t.same((await found(store, testZoneId)).slice(1), before)
  await change(store, testZoneId, 10)
  t.same(await serialsOf(store), [10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
  const again = await openIn(disk, { historyOctets: 1_000_000 })
  const [both] = await Promise.all([serialsOf(again), change(again, testZoneId, 11)])
  t.same(both, [10, 9, 8, 7, 6, 5, 4, 3, 2, 1], 'beside a change')
  t.equal((await serialsOf(again)).length, 11)
})

t.test('a file of the log is read once for all who ask', async t => {
  const disk = new SimulatedDisk()
  await segmented(disk)
  const store = await openIn(disk, { historyOctets: 1_000_000 })
  const { readPiece } = disk
  let octetCount = 0
  disk.readPiece = async (...args) => {
    const piece = await readPiece.apply(disk, args)
    octetCount += piece.length
    return piece
  }
  await Promise.all([serialsOf(store), serialsOf(store, otherId)])
  const first = octetCount
  t.ok(first > 0)
  await serialsOf(store)
  t.equal(octetCount, first)
})

t.test('what the log has dropped is not found', async t => {
  const disk = new SimulatedDisk()
  const store = await openIn(disk)
  for (const serial of [1, 2, 3, 4]) {
    await change(store, testZoneId, serial)
    await store.checkpoint()
  }
  const kept = await serialsOf(store)
  t.equal(kept[0], 4)
  t.ok(kept.length < 4)
  const gone = await found(store, testZoneId)
  await change(store, testZoneId, 5)
  await store.checkpoint()
  await change(store, testZoneId, 6)
  await store.checkpoint()
  const read = await listed(store.readCommits(gone.toReversed()))
  t.ok(read.length < gone.length, 'nor read')
})

t.test('a zone that is deleted has its last commits, and a recordset alone no serial', async t => {
  const store = await openIn(new SimulatedDisk())
  await change(store, testZoneId, 1)
  await store.commit(tx =>
    tx.put('recordsets', recordsetRow({ id: uuidOf(5), name: 'a.example.' })),
  )
  await store.commit(tx => tx.delete('recordsets', uuidOf(5)))
  await store.commit(tx => tx.delete('zones', testZoneId))
  t.same(await serialsOf(store), [undefined, undefined, undefined, 1])
})

t.test('a commit of thousands of recordsets is found by each of its zones', async t => {
  const store = await openIn(new SimulatedDisk())
  await store.commit(tx => {
    for (let number = 0; number < 3_000; number += 1) {
      const zoneId = [testZoneId, otherId][number % 2] ?? ''
      tx.put(
        'recordsets',
        recordsetRow({ id: uuidOf(number), zoneId, name: `h${number}.example.` }),
      )
    }
  })
  t.equal((await found(store, testZoneId)).length, 1)
  t.equal((await found(store, otherId)).length, 1)
})

t.test('where a part of the log is damaged, nothing older is found', async t => {
  const disk = new SimulatedDisk()
  await segmented(disk)
  const [, second = ''] = disk.paths.filter(path => path.endsWith('.log'))
  const store = await openIn(disk, { historyOctets: 1_000_000 })
  disk.damage(second, octets => {
    octets[octets.length - 40] = (octets[octets.length - 40] ?? 0) ^ 1
    return octets
  })
  t.same(await serialsOf(store), [8, 7, 6, 5], 'though the rest of the file is whole')
})
