import t, { type Test } from 'tap'
import { DamageError } from '../../src/durable/damage.ts'
import type { LowdbStore } from '../../src/store/lowdb-store.ts'
import { openIn } from '../helpers/crash-points.ts'
import { logEndOf, withoutRoom } from '../helpers/log-end.ts'
import { nothingLost, SimulatedDisk } from '../helpers/simulated-disk.ts'
import { storeText } from '../helpers/store-model.ts'
import { recordsetRow, uuidOf, zoneRow } from '../helpers/store-rows.ts'

const recordset = (number: number, version = 1) =>
  recordsetRow({
    id: uuidOf(number),
    createdAt: 10 + number,
    version,
    name: `host${number}.example.com.`,
  })

const put = (store: LowdbStore, number: number, version = 1) =>
  store.commit(tx => tx.put('recordsets', recordset(number, version)))

const segment = (firstLsn: number) => `/srv/store/journal/${String(firstLsn).padStart(16, '0')}.log`

/** A store whose log holds a batch of two commits and then a batch of three. */
async function twoBatches() {
  const disk = new SimulatedDisk()
  const store = await openIn(disk)
  const states: string[] = []
  store.setCommitListener(() => void states.push(storeText(store)))
  await Promise.all([store.commit(tx => tx.put('zones', zoneRow())), put(store, 1)])
  const lastBatchAt = logEndOf(await disk.read(segment(1)))
  await Promise.all([put(store, 2), put(store, 3), put(store, 1, 2)])
  const octets = withoutRoom((await disk.read(segment(1))) ?? Buffer.alloc(0))
  return { disk, states, lastBatchAt, octets }
}

function copyOf(disk: SimulatedDisk): SimulatedDisk {
  return disk.after(nothingLost)
}

async function refuses(
  t: Test,
  disk: SimulatedDisk,
  expected: { readonly file: string; readonly problem: RegExp },
): Promise<void> {
  const before = disk.paths
  await t.rejects(openIn(disk), { name: DamageError.name, ...expected })
  t.same(disk.paths, before, 'and leaves all files as they are')
}

t.test('a log torn anywhere in its last batch opens to the batches before', async t => {
  const { disk, states, lastBatchAt, octets } = await twoBatches()
  const found = new Set<number>()
  for (let length = lastBatchAt; length <= octets.length; length += 1) {
    const torn = copyOf(disk)
    torn.damage(segment(1), octets => octets.subarray(0, length))
    const store = await openIn(torn)
    found.add(states.indexOf(storeText(store)))
    await put(store, 4)
    const expected = storeText(store)
    if (storeText(await openIn(torn)) !== expected) t.fail(`not the same again after ${length}`)
  }
  t.same([...found], [1, 4])
})

t.test('zeros where the last batch was going to be are cut off', async t => {
  const { disk, states, lastBatchAt, octets } = await twoBatches()
  for (let from = lastBatchAt; from < octets.length; from += 7) {
    for (const zeros of [1, 64, octets.length]) {
      const torn = copyOf(disk)
      torn.damage(segment(1), octets => octets.fill(0, from, Math.min(octets.length, from + zeros)))
      const state = states.indexOf(storeText(await openIn(torn)))
      if (state !== 1 && state !== 4) t.fail(`zeros at ${from}: state ${state}`)
    }
  }
  const longer = copyOf(disk)
  longer.damage(segment(1), octets => Buffer.concat([octets, Buffer.alloc(4096)]))
  t.equal(storeText(await openIn(longer)), states.at(-1))
})

t.test('what is cut off is reported', async t => {
  const { disk, lastBatchAt, octets } = await twoBatches()
  disk.damage(segment(1), octets => withoutRoom(octets).subarray(0, -1))
  const events: unknown[] = []
  await openIn(disk, { report: event => events.push(event) })
  const cut = { kind: 'log-cut', path: segment(1), offset: lastBatchAt }
  t.same(events, [{ ...cut, octets: octets.length - 1 - lastBatchAt }])
})

t.test('a changed octet in a batch before the last refuses, and says where', async t => {
  const { disk, lastBatchAt } = await twoBatches()
  disk.damage(segment(1), octets => {
    octets[lastBatchAt - 1] = (octets[lastBatchAt - 1] ?? 0) ^ 0x04
    return octets
  })
  await refuses(t, disk, { file: segment(1), problem: /damaged, at octet 20, and later/ })
})

t.test('a torn segment before the last refuses, even where nothing follows in it', async t => {
  const { disk } = await threeSegments()
  disk.damage(segment(3), octets => octets.subarray(0, -10))
  await refuses(t, disk, { file: segment(3), problem: /damaged/ })
})

/** Segments: [1], [2], [3] and [4], with checkpoints at 1 and 2; 3 and 4 are in the log only. */
async function threeSegments() {
  const disk = new SimulatedDisk()
  const store = await openIn(disk)
  await store.commit(tx => tx.put('zones', zoneRow()))
  await store.checkpoint()
  await put(store, 1)
  await store.checkpoint()
  await put(store, 2)
  // A checkpoint that fails still begins a segment.
  disk.before = ({ kind }) => {
    if (kind === 'rename') throw new Error('no')
  }
  await store.checkpoint().catch(() => undefined)
  disk.before = () => undefined
  await put(store, 3)
  t.same(
    (await disk.list('/srv/store/journal')).map(name => Number.parseInt(name, 10)),
    [2, 3, 4],
  )
  return { disk, text: storeText(store) }
}

t.test('a missing segment refuses, wherever it is needed', async t => {
  const { disk, text } = await threeSegments()
  const without = async (...lsns: number[]) => {
    const copy = copyOf(disk)
    for (const lsn of lsns) await copy.remove(segment(lsn))
    return copy
  }
  await refuses(t, await without(3), { file: segment(4), problem: /begins with entry 4/ })
  await refuses(t, await without(2, 3), { file: segment(4), problem: /begins with entry 4/ })
  const journal = '/srv/store/journal'
  await refuses(t, await without(2, 3, 4), { file: journal, problem: /ends with change 0/ })
  t.equal(storeText(await openIn(await without(2))), text, 'the documents have that one')
})

t.test('damage in a part of the log that the documents have does no harm', async t => {
  const { disk, text } = await threeSegments()
  disk.damage(segment(2), () => Buffer.from('rubbish'))
  const store = await openIn(disk)
  t.equal(storeText(store), text)
  await store.checkpoint()
  await put(store, 4)
  await store.checkpoint()
  t.same(
    (await disk.list('/srv/store/journal')).map(name => Number.parseInt(name, 10)),
    [5],
  )
})

t.test('a log that has lost acknowledged commits at its end refuses', async t => {
  const { disk } = await twoBatches()
  const store = await openIn(disk)
  await store.checkpoint()
  disk.damage(segment(1), octets => octets.subarray(0, -1))
  await refuses(t, disk, { file: '/srv/store/journal', problem: /ends with change 2/ })
})

t.test('a segment emptied by a crash is gone on with, whatever checkpoints do', async t => {
  const disk = new SimulatedDisk()
  const store = await openIn(disk)
  await store.commit(tx => tx.put('zones', zoneRow()))
  await store.checkpoint()
  await put(store, 1)
  disk.damage(segment(2), octets => withoutRoom(octets).subarray(0, -1))
  const again = await openIn(disk)
  for (const number of [2, 3, 4]) {
    await again.commit(tx => tx.put('zones', zoneRow({ version: number })))
    await again.checkpoint()
  }
  await put(again, 5)
  const text = storeText(again)
  t.equal(storeText(await openIn(disk)), text)
})

t.test('history has each change with the rows before and after it', async t => {
  const store = await openIn(new SimulatedDisk(), {
    historyOctets: 1e6,
    factsOf: ({ lsn }) => `about ${lsn}`,
  })
  await store.commit(tx => tx.put('zones', zoneRow()))
  await put(store, 1)
  await store.checkpoint()
  await store.commit(tx => {
    tx.put('zones', zoneRow({ version: 2, serial: 2 }))
    tx.put('recordsets', recordset(1, 2))
    tx.put('recordsets', recordset(2))
    tx.put('tlds', {
      id: uuidOf(90),
      version: 1,
      createdAt: 5,
      updatedAt: null,
      name: 'com',
    } as never)
  })
  await Promise.all([
    put(store, 2, 2),
    store.commit(tx => tx.delete('recordsets', uuidOf(1))),
    put(store, 2, 3),
  ])
  const past = []
  for await (const { lsn, changes, facts } of store.history(2)) {
    t.equal(facts, `about ${lsn}`)
    past.push(changes.map(({ collection, before, after }) => [collection, before, after]))
  }
  t.same(past, [
    [
      ['zones', zoneRow(), zoneRow({ version: 2, serial: 2 })],
      ['recordsets', recordset(1), recordset(1, 2)],
      ['recordsets', undefined, recordset(2)],
      [
        'tlds',
        undefined,
        { id: uuidOf(90), version: 1, createdAt: 5, updatedAt: null, name: 'com' },
      ],
    ],
    [['recordsets', recordset(2), recordset(2, 2)]],
    [['recordsets', recordset(1, 2), undefined]],
    [['recordsets', recordset(2, 2), recordset(2, 3)]],
  ])
})
