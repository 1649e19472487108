import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { systemClock } from '../../src/clock.ts'
import { DamageError } from '../../src/durable/damage.ts'
import { StoreLockedError } from '../../src/durable/lock.ts'
import { NoRoomError } from '../../src/durable/no-room.ts'
import { commitLogOver } from '../../src/store/commit-log.ts'
import { writeDocument } from '../../src/store/document.ts'
import { documentOf } from '../../src/store/layout.ts'
import { type LowdbStore, openLowdbStore } from '../../src/store/lowdb-store.ts'
import { type Commit, StoreReadOnlyError } from '../../src/store/store.ts'
import type { StoreEvent } from '../../src/store/write-access.ts'
import { fakeClock, testNowMillis } from '../helpers/clock.ts'
import { openIn } from '../helpers/crash-points.ts'
import {
  allLost,
  cutsLost,
  type DiskOperation,
  nothingLost,
  SimulatedDisk,
} from '../helpers/simulated-disk.ts'
import { storeText } from '../helpers/store-model.ts'
import { recordsetRow, testZoneId, uuidOf, zoneRow } from '../helpers/store-rows.ts'

const recordset = (number: number) =>
  recordsetRow({ id: uuidOf(number), createdAt: 10 + number, name: `host${number}.example.com.` })

const isJournal = ({ path }: DiskOperation) => path.includes('/journal/')

/** Makes what is left of the test happen while the disk holds an operation back. */
function holdBack(disk: SimulatedDisk, isHeld: (operation: DiskOperation) => boolean) {
  const { promise, resolve: release } = Promise.withResolvers<void>()
  const reached = new Promise<void>(resolve => {
    disk.before = operation => {
      if (!isHeld(operation)) return
      resolve()
      return promise
    }
  })
  return { reached, release }
}

function failOn(
  disk: SimulatedDisk,
  code: string,
  isFailing: (operation: DiskOperation) => boolean,
) {
  disk.before = operation => {
    if (isFailing(operation)) throw Object.assign(new Error(`${code}: no`), { code })
  }
}

t.test('a commit is seen, told and resolved only once it is on the disk', async t => {
  const disk = new SimulatedDisk()
  const store = await openIn(disk)
  const told: number[] = []
  store.setCommitListener(({ lsn }) => void told.push(lsn))
  const { reached, release } = holdBack(disk, operation => operation.kind === 'sync')
  let isResolved = false
  const commit = store
    .commit(tx => tx.put('zones', zoneRow()))
    .then(() => {
      isResolved = true
    })
  const refused = store.commit(tx => {
    // Judged by what is not on the disk yet, so not told before it is.
    if (tx.get('zones', testZoneId) !== undefined) throw new Error('there is one')
  })
  let isRefused = false
  refused.catch(() => {
    isRefused = true
  })
  await reached
  // Whatever could happen without the disk has happened after a turn of the event loop.
  await new Promise(setImmediate)
  t.equal(store.get('zones', testZoneId), undefined)
  t.same([isResolved, isRefused, told], [false, false, []])
  release()
  await commit
  t.ok(store.get('zones', testZoneId))
  t.same(told, [1])
  await t.rejects(refused, { message: 'there is one' })
})

t.test('a transaction that writes nothing, or undoes what it wrote, costs no disk', async t => {
  const disk = new SimulatedDisk()
  const store = await openIn(disk)
  disk.before = ({ kind, path }) => {
    t.fail(`${kind} ${path}`)
  }
  t.equal(await store.commit(tx => tx.get('zones', testZoneId)), undefined)
  await store.commit(tx => {
    tx.put('zones', zoneRow())
    tx.delete('zones', testZoneId)
  })
  await store.commit(tx => tx.delete('zones', 'none'))
  await store.checkpoint()
  t.pass()
})

t.test('all that was committed is there after a restart, and times go on growing', async t => {
  const disk = new SimulatedDisk()
  const clock = fakeClock()
  const store = await openIn(disk, { clock })
  const writeZone =
    (version: number) => (tx: Parameters<Parameters<typeof store.commit>[0]>[0]) => {
      tx.put('zones', zoneRow({ version }))
      return tx.atMicros
    }
  const times = [await store.commit(writeZone(1)), await store.commit(writeZone(2))]
  await store.checkpoint()
  times.push(await store.commit(writeZone(3)))
  const text = storeText(store)
  await store.close()
  const earlier = fakeClock(testNowMillis - 86_400_000)
  const events: StoreEvent[] = []
  const report = (event: StoreEvent) => events.push(event)
  await (await openIn(disk, { clock: fakeClock(testNowMillis - 60_000), report })).close()
  t.same(events, [], 'a clock may be a little behind')
  for (const version of [4, 5]) {
    const again = await openIn(disk, { clock: earlier, report })
    if (version === 4) t.equal(storeText(again), text)
    times.push(await again.commit(writeZone(version)))
    await again.close()
  }
  t.ok(times.every((time, i) => i === 0 || time > (times[i - 1] ?? 0)))
  const isAhead = { kind: 'times-ahead', aheadSeconds: 86_400 }
  t.same(events, [isAhead, isAhead])
})

t.test('a failed sync of the journal turns the store read-only until a restart', async t => {
  const disk = new SimulatedDisk()
  const store = await openIn(disk)
  await store.commit(tx => tx.put('recordsets', recordset(0)))
  await store.checkpoint()
  const text = storeText(store)
  // Also when it is for want of room: the system may have dropped what it could not write.
  failOn(disk, 'ENOSPC', operation => isJournal(operation) && operation.kind === 'sync')
  await refusesBatch(t, store)
  disk.before = () => undefined
  await store.resume()
  t.match(store.readOnlyReason, /after a restart/)
  await t.rejects(
    store.commit(() => undefined),
    StoreReadOnlyError,
  )
  t.equal(storeText(store), text, 'nothing of the batch is seen, reads go on')
  t.equal(store.count('recordsets', 'byZone', testZoneId), 1)
  await store.close()
  const again = await openIn(disk.after(allLost))
  t.equal(storeText(again), text)
  await again.commit(tx => tx.put('recordsets', recordset(1)))
})

/** Has a batch refused, whatever each of it would have come to. */
async function refusesBatch(t: Test, store: LowdbStore): Promise<void> {
  const commits = [1, 2].map(i => store.commit(tx => tx.put('recordsets', recordset(i))))
  const refused = store.commit(() => {
    throw new Error('for its own reason')
  })
  for (const commit of [...commits, refused]) await t.rejects(commit, StoreReadOnlyError)
}

for (const [kind, code, reason] of [
  ['append', 'ENOSPC', /the disk is full/],
  ['append', 'EDQUOT', /quota/],
  ['create', 'ENOSPC', /the disk is full/],
  ['create', 'EROFS', /the disk is read-only/],
] as const) {
  t.test(`${code} on ${kind} refuses changes until the disk takes them`, async t => {
    const disk = new SimulatedDisk()
    const events: StoreEvent[] = []
    const store = await openIn(disk, { report: event => events.push(event) })
    await store.commit(tx => tx.put('recordsets', recordset(0)))
    await store.checkpoint()
    const text = storeText(store)
    failOn(disk, code, operation => operation.kind === kind)
    await refusesBatch(t, store)
    t.match(store.readOnlyReason, reason)
    await store.resume()
    t.match(store.readOnlyReason, reason, 'there is still no room')
    await store.checkpoint()
    t.equal(storeText(store), text)
    for (const loss of [allLost, cutsLost, nothingLost]) {
      const again = await openIn(disk.after(loss))
      t.equal(storeText(again), text, 'what was refused is never there again')
    }
    disk.before = () => undefined
    await store.resume()
    t.equal(store.readOnlyReason, undefined)
    await store.commit(tx => tx.put('recordsets', recordset(3)))
    t.equal(store.lastLsn, 2, 'numbers of refused changes are used again')
    t.match(events, [{ kind: 'read-only' }, { kind: 'writable' }])
    const again = await openIn(disk.after(allLost))
    t.equal(storeText(again), storeText(store))
  })
}

t.test('of a batch that the disk had no room for, nothing is there once it is refused', async t => {
  const full = new SimulatedDisk()
  const store = await openIn(full)
  await store.commit(tx => tx.put('recordsets', recordset(0)))
  const text = storeText(store)
  const [path = ''] = full.paths.filter(path => path.includes('/journal/'))
  const batchOctets = await full.size(path)
  for (let octets = 0; octets < batchOctets; octets += 7) {
    // Room for some of its two commits, which take more than the segment of one.
    full.capacityOctets = full.usedOctets + octets
    await refusesBatch(t, store)
    for (const loss of [allLost, cutsLost, nothingLost]) {
      const found = await openIn(full.after(loss))
      if (storeText(found) !== text) t.fail(`with ${octets} octets of room it is there`)
    }
    full.capacityOctets = Number.POSITIVE_INFINITY
    await store.resume()
  }
  await store.commit(tx => tx.put('recordsets', recordset(3)))
  t.equal(storeText(await openIn(full.after(allLost))), storeText(store))
})

for (const code of ['ENOSPC', 'EROFS']) {
  t.test(`a store on a disk that answers ${code} to all starts, and goes on later`, async t => {
    const disk = new SimulatedDisk()
    const before = await openIn(disk)
    await before.commit(tx => tx.put('recordsets', recordset(0)))
    await before.checkpoint()
    await before.commit(tx => tx.put('recordsets', recordset(1)))
    const text = storeText(before)
    const [last = ''] = disk.paths.filter(path => path.includes('/journal/')).slice(-1)
    disk.damage(last, octets => Buffer.concat([octets, Buffer.from('{"torn')]))
    const refused = ['create', 'append', 'makeDirectory', 'link', 'rename', 'remove', 'truncate']
    failOn(disk, code, ({ kind }) => refused.includes(kind))
    disk.isOpenRefused = code === 'EROFS'
    const events: StoreEvent[] = []
    const store = await openIn(disk, { report: event => events.push(event) })
    t.equal(storeText(store), text, 'all is read')
    await t.rejects(
      store.commit(tx => tx.put('recordsets', recordset(2))),
      StoreReadOnlyError,
    )
    await store.checkpoint()
    await store.resume()
    t.ok(store.readOnlyReason)
    disk.before = () => undefined
    disk.isOpenRefused = false
    await store.resume()
    t.equal(store.readOnlyReason, undefined)
    await store.commit(tx => tx.put('recordsets', recordset(2)))
    t.match(events, [{ kind: 'read-only' }, { kind: 'log-cut' }, { kind: 'writable' }])
    await store.checkpoint()
    t.equal(storeText(await openIn(disk.after(allLost))), storeText(store))
  })
}

t.test('a copy whose log is behind has no checkpoint of what the log lacks', async t => {
  const disk = new SimulatedDisk()
  const put = (store: LowdbStore, number: number) =>
    store.commit(tx => {
      tx.put('zones', zoneRow({ id: uuidOf(number), name: `zone${number}.example.` }))
    })
  let isFull = false
  const copy = await openIn(disk, {
    shareLog: local =>
      commitLogOver({
        encode: local.encode,
        write: async (...batch) => (isFull ? undefined : local.write(...batch)),
      }),
  })
  await put(copy, 1)
  isFull = true
  await put(copy, 2)
  await copy.checkpoint()
  await copy.close()
  const again = await openIn(disk, { shareLog: commitLogOver })
  t.equal(again.lastLsn, 1, 'it goes on from there')
  t.ok(again.get('zones', uuidOf(1)))
  await again.close()
})

t.test('a start on a disk that is only full says so before anything is refused', async t => {
  const disk = new SimulatedDisk()
  const before = await openIn(disk)
  await before.commit(tx => tx.put('recordsets', recordset(0)))
  await before.close()
  disk.capacityOctets = disk.usedOctets
  const events: StoreEvent[] = []
  const store = await openIn(disk, { report: event => events.push(event) })
  t.match(store.readOnlyReason, /the disk is full/)
  t.equal(storeText(store), storeText(before))
  const copy = await openIn(disk, { shareLog: commitLogOver })
  t.equal(copy.readOnlyReason, undefined, 'the log that nodes share is elsewhere')
  t.notOk(disk.paths.some(path => path.endsWith('room.tmp')))
  disk.capacityOctets = Number.POSITIVE_INFINITY
  await store.resume()
  t.equal(store.readOnlyReason, undefined)
  t.match(events, [{ kind: 'read-only' }, { kind: 'writable' }])
})

for (const [kind, code, reason] of [
  ['append', 'EIO', /after a restart/],
  ['sync', 'ENOSPC', /the disk is full/],
] as const)
  t.test(`${code} on ${kind} at a start leaves what there is to be read`, async t => {
    const disk = new SimulatedDisk()
    await (await openIn(disk)).close()
    failOn(disk, code, operation => operation.kind === kind)
    const store = await openIn(disk)
    t.match(store.readOnlyReason, reason)
  })

t.test('a new store cannot be made on a full disk', async t => {
  const disk = new SimulatedDisk()
  disk.capacityOctets = 0
  await t.rejects(openIn(disk), NoRoomError)
})

t.test('a directory that is removed while it is in use turns the store read-only', async t => {
  const root = await mkdtemp(join(tmpdir(), 'store-'))
  t.teardown(() => rm(root, { recursive: true, force: true }))
  const directory = join(root, 'data')
  const events: StoreEvent[] = []
  const report = (event: StoreEvent) => events.push(event)
  const store = await openLowdbStore({ directory, clock: systemClock, report })
  await store.commit(tx => tx.put('recordsets', recordset(0)))
  const text = storeText(store)
  await rm(directory, { recursive: true })
  await t.rejects(
    store.commit(tx => tx.put('recordsets', recordset(1))),
    StoreReadOnlyError,
  )
  t.match(store.readOnlyReason, /after a restart/)
  t.match(events, [
    { kind: 'read-only', error: { message: /\.log was removed or moved while in use/ } },
  ])
  t.equal(storeText(store), text, 'what was acknowledged before is still answered')
  // What has come to stand there since is not this store's.
  await mkdir(directory)
  await store.checkpoint()
  await store.close()
  t.strictSame(await readdir(directory), [])
})

t.test('a checkpoint that fails is reported, loses nothing and is made up for', async t => {
  const disk = new SimulatedDisk()
  const store = await openIn(disk)
  await store.commit(tx => tx.put('zones', zoneRow()))
  await store.checkpoint()
  await store.commit(tx => tx.put('recordsets', recordset(1)))
  failOn(disk, 'ENOSPC', operation => !isJournal(operation) && operation.kind === 'append')
  await t.rejects(store.checkpoint(), { code: 'ENOSPC' })
  await store.commit(tx => tx.put('recordsets', recordset(2)))
  const text = storeText(store)
  t.equal(storeText(await openIn(disk.after(allLost))), text)
  disk.before = () => undefined
  await store.checkpoint()
  t.equal(storeText(await openIn(disk.after(allLost))), text)
})

t.test('a checkpoint that fails behind its manifest leaves two generations whole', async t => {
  const disk = new SimulatedDisk()
  const store = await openIn(disk)
  for (const version of [1, 2, 3]) {
    await store.commit(tx => tx.put('zones', zoneRow({ version })))
    let isReplaced = false
    failOn(disk, 'EIO', ({ kind, path }) => {
      isReplaced ||= kind === 'rename' && path.includes('manifest')
      return version === 2 && isReplaced && kind === 'syncDirectory'
    })
    const written = store.checkpoint()
    if (version === 2) await t.rejects(written, { name: 'SyncError' })
    else await written
    disk.before = () => undefined
  }
  const text = storeText(store)
  for (const path of disk.paths.filter(path => path.includes('/documents/'))) {
    const damaged = disk.afterKill()
    damaged.damage(path, octets => octets.subarray(1))
    t.equal(storeText(await openIn(damaged)), text, path)
  }
})

t.test('a document or segment that somebody has removed is written again', async t => {
  for (const folder of ['documents', 'segments']) {
    const disk = new SimulatedDisk()
    const events: StoreEvent[] = []
    const store = await openIn(disk, { report: event => events.push(event) })
    for (const version of [1, 2]) {
      await store.commit(tx => {
        if (version === 1) tx.put('zones', zoneRow())
        tx.put('recordsets', recordset(version))
      })
      await store.checkpoint()
    }
    const [path = ''] = disk.paths.filter(each => each.includes(folder))
    await disk.remove(path)
    await store.checkpoint()
    t.equal(storeText(await openIn(disk.after(nothingLost))), storeText(store), folder)
    t.match(events, [{ kind: 'files-removed' }])
    await store.checkpoint()
    t.equal(events.length, 1)
  }
})

t.test('so much in the journal that a restart would take long is checkpointed unasked', async t => {
  const disk = new SimulatedDisk()
  const events: StoreEvent[] = []
  const store = await openIn(disk, { report: event => events.push(event) })
  const { reached, release } = holdBack(disk, ({ path }) => path.includes('manifest'))
  const description = 'x'.repeat(1024 * 1024)
  for (let i = 0; i < 17; i += 1) {
    await store.commit(tx => tx.put('recordsets', { ...recordset(i), description }))
  }
  await reached
  failOn(disk, 'EIO', ({ path }) => path.includes('manifest'))
  release()
  await store.checkpoint().catch(() => undefined)
  for (let i = 0; i < 17; i += 1) {
    await store.commit(tx => tx.put('recordsets', { ...recordset(i), version: 2, description }))
  }
  await store.close()
  t.match(events, [{ kind: 'checkpoint-failed', error: { code: 'EIO' } }])
})

t.test('a restart counts what it found in the journal', async t => {
  const disk = new SimulatedDisk()
  const store = await openIn(disk)
  const description = 'x'.repeat(1024 * 1024)
  for (let i = 0; i < 14; i += 1) {
    await store.commit(tx => tx.put('recordsets', { ...recordset(i), description }))
  }
  const again = await openIn(disk)
  const { reached, release } = holdBack(disk, ({ path }) => path.includes('manifest'))
  for (let i = 0; i < 3; i += 1) {
    await again.commit(tx => tx.put('recordsets', { ...recordset(i), version: 2, description }))
  }
  await reached
  release()
  await again.close()
  const manifest = JSON.parse((await disk.read('/srv/store/manifest.json'))?.toString() ?? '')
  t.ok(manifest._lsn > 14)
})

t.test('close gives up a long checkpoint, and nothing is written after it', async t => {
  const disk = new SimulatedDisk()
  const store = await openIn(disk)
  await store.commit(tx => {
    tx.put('zones', zoneRow())
    for (let i = 0; i < 10_001; i += 1) tx.put('recordsets', recordset(i))
  })
  const text = storeText(store)
  const { reached, release } = holdBack(disk, ({ path }) => path.endsWith('.segment'))
  const checkpoint = store.checkpoint()
  await reached
  const closed = store.close()
  release()
  await closed
  await checkpoint
  const written = disk.paths.length
  disk.before = ({ kind, path }) => {
    t.fail(`${kind} ${path} after close`)
  }
  await new Promise(setImmediate)
  await store.checkpoint()
  t.equal(disk.paths.length, written)
  disk.before = () => undefined
  t.notOk(disk.paths.some(path => path.includes('/documents/')))
  t.equal(storeText(await openIn(disk)), text)
})

t.test('close writes a checkpoint where little has changed', async t => {
  const disk = new SimulatedDisk()
  const store = await openIn(disk)
  await store.commit(tx => tx.put('zones', zoneRow()))
  await store.close()
  const manifest = JSON.parse((await disk.read('/srv/store/manifest.json'))?.toString() ?? '')
  t.match(manifest, { _lsn: 1, format: 3 })
})

const documents = '/srv/store/documents'
const segments = '/srv/store/segments'
/** Of the second checkpoint. */
const zoneDocument = `${documents}/${documentOf('zones', testZoneId)}.2.json`
const systemDocument = `${documents}/pools.2.json`
const segment = `${segments}/000000000002.segment`
const pool = { id: 'pool', version: 1, createdAt: 1, updatedAt: null, name: 'pool' } as never

/** A disk with a checkpoint and, where asked for, a second one that wrote every document again. */
async function checkpointed({ times }: { readonly times: 1 | 2 | 3 }) {
  const disk = new SimulatedDisk()
  const store = await openIn(disk, { mergedAtLeast: 100 })
  for (let version = 1; version <= times; version += 1) {
    // The third checkpoint leaves the documents alone.
    await store.commit(tx => {
      if (version === 3) {
        tx.put('projects', { ...(pool as object), name: 'x' } as never)
        return
      }
      tx.put('zones', zoneRow({ version }))
      tx.put('recordsets', recordset(version))
      tx.put('pools', { ...(pool as object), version } as never)
      if (version === 2) tx.put('zones', zoneRow({ id: uuidOf(7), name: 'second.example.' }))
    })
    await store.checkpoint()
  }
  await store.commit(tx => tx.put('recordsets', recordset(9)))
  return { disk, text: storeText(store) }
}

const damages: Readonly<Record<string, (disk: SimulatedDisk, path: string) => Promise<void>>> = {
  missing: (disk, path) => disk.remove(path),
  empty: async (disk, path) => disk.damage(path, () => Buffer.alloc(0)),
  torn: async (disk, path) => disk.damage(path, octets => octets.subarray(0, octets.length / 2)),
  changed: async (disk, path) =>
    disk.damage(path, octets => {
      octets[30] = (octets[30] ?? 0) ^ 1
      return octets
    }),
}

for (const [kind, damage] of Object.entries(damages)) {
  for (const path of [zoneDocument, systemDocument, segment]) {
    t.test(
      `${path}, ${kind}: the generation before stands in where the journal reaches back`,
      async t => {
        const { disk, text } = await checkpointed({ times: 2 })
        await damage(disk, path)
        const store = await openIn(disk)
        t.equal(storeText(store), text)
        await store.commit(tx => tx.put('recordsets', recordset(10)))
        const later = storeText(store)
        await store.checkpoint()
        await store.commit(tx => tx.put('pools', { ...(pool as object), version: 5 } as never))
        await store.checkpoint()
        t.equal(storeText(await openIn(disk.after(allLost))).includes('"version",5'), true)
        t.ok(later.length > text.length)
      },
    )

    t.test(`${path}, ${kind}: refused where both generations have it`, async t => {
      const { disk } = await checkpointed({ times: 3 })
      await damage(disk, path)
      await refuses(t, disk, path)
    })
  }
}

async function refuses(t: Test, disk: SimulatedDisk, file: string): Promise<void> {
  const before = disk.paths
  await t.rejects(openIn(disk), { name: DamageError.name, file })
  t.same(disk.paths, before, 'and leaves all files as they are')
}

t.test('an old generation is refused when the journal that completes it is damaged', async t => {
  const { disk } = await checkpointed({ times: 2 })
  disk.damage(zoneDocument, () => Buffer.from('rubbish'))
  await disk.remove('/srv/store/journal/0000000000000002.log')
  await refuses(t, disk, '/srv/store/journal/0000000000000003.log')
})

t.test(
  'a missing manifest is replaced by the one before; without that, the store is refused',
  async t => {
    const manifest = '/srv/store/manifest.json'
    const { disk, text } = await checkpointed({ times: 2 })
    await disk.remove(manifest)
    t.equal(storeText(await openIn(disk.after(nothingLost))), text)
    disk.damage(`${manifest}.prev`, () => Buffer.from('{}'))
    await refuses(t, disk.after(nothingLost), manifest)
    await disk.remove(`${manifest}.prev`)
    await refuses(t, disk, manifest)
  },
)

t.test('a manifest of another format is refused, with the way out', async t => {
  const disk = new SimulatedDisk()
  await disk.makeDirectory('/srv/store')
  await writeDocument(disk, '/srv/store/manifest.json', { _lsn: 0, format: 4 } as never)
  await t.rejects(openIn(disk), { name: 'OtherFormatError', message: /format 4.*version/ })
})

t.test('a directory that holds other things becomes a store', async t => {
  const disk = new SimulatedDisk()
  await disk.makeDirectory('/srv/store/rating')
  const readme = await disk.create('/srv/store/README.md')
  await readme.append(Buffer.from('read me'))
  const store = await openIn(disk)
  await store.commit(tx => tx.put('zones', zoneRow()))
  t.ok((await openIn(disk)).get('zones', testZoneId))
})

t.test('commits can be read again, also those from before checkpoints and restarts', async t => {
  const directory = await mkdtemp(join(tmpdir(), 'zonewright-store-'))
  t.teardown(() => rm(directory, { recursive: true }))
  const factsOf = ({ lsn }: Commit) => `about ${lsn}`
  const open = (historyOctets: number) =>
    openLowdbStore({ directory, clock: systemClock, factsOf, historyOctets })
  let store = await open(1_000_000)
  for (const version of [1, 2, 3, 4]) {
    await store.commit(tx => tx.put('zones', zoneRow({ version })))
    await store.checkpoint()
  }
  await store.close()
  store = await open(1_000_000)
  await store.commit(tx => tx.delete('zones', testZoneId))
  const read: unknown[] = []
  for await (const { lsn, changes, facts } of store.history(1))
    read.push([lsn, changes[0]?.after?.version, facts])
  t.same(read, [
    [2, 2, 'about 2'],
    [3, 3, 'about 3'],
    [4, 4, 'about 4'],
    [5, undefined, 'about 5'],
  ])
  t.equal(store.lastLsn, 5)
  await store.close()
  store = await open(0)
  await store.commit(tx => tx.put('zones', zoneRow()))
  await store.checkpoint()
  await store.commit(tx => tx.put('zones', zoneRow({ version: 2 })))
  await store.checkpoint()
  const left: number[] = []
  for await (const { lsn } of store.history(0)) left.push(lsn)
  t.same(left, [7], 'what a restart may need is always there')
  await store.close()
})

t.test('on a real disk: for this user only, one process at a time', async t => {
  const parent = await mkdtemp(join(tmpdir(), 'zonewright-store-'))
  t.teardown(() => rm(parent, { recursive: true }))
  const directory = join(parent, 'new', 'data')
  const open = () => openLowdbStore({ directory, clock: systemClock })
  const store = await open()
  await store.commit(tx => {
    tx.put('zones', zoneRow())
    for (let i = 0; i < 600; i += 1) tx.put('recordsets', recordset(i))
  })
  await store.checkpoint()
  await store.commit(tx => tx.put('zones', zoneRow({ version: 2 })))
  const text = storeText(store)
  await t.rejects(open(), StoreLockedError)
  await t.rejects(open(), StoreLockedError, 'a refused opener leaves the lock alone')
  await store.checkpoint()
  await store.close()
  for (const path of await readdir(directory, { recursive: true })) {
    const entry = await stat(join(directory, path))
    const mode = (entry.mode & 0o777).toString(8)
    t.equal(mode, entry.isDirectory() ? '700' : '600', path)
  }
  t.equal(((await stat(directory)).mode & 0o777).toString(8), '700')
  const again = await open()
  t.equal(storeText(again), text)
  await again.close()
})

t.test('a damaged store is refused without keeping the lock', async t => {
  const directory = await mkdtemp(join(tmpdir(), 'zonewright-store-'))
  t.teardown(() => rm(directory, { recursive: true }))
  await mkdir(join(directory, 'journal'))
  for (let i = 0; i < 2; i += 1) {
    await t.rejects(openLowdbStore({ directory, clock: systemClock }), DamageError)
  }
})
