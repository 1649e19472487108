import { setImmediate as nextImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import t from 'tap'
import { allTime, type Month, monthOf } from '../../../src/rating/period.ts'
import { type Batch, type PreparedBatch, prepareBatch } from '../../../src/rating/segments/batch.ts'
import { type Chunk, chunkOfPoint } from '../../../src/rating/segments/chunk.ts'
import { Memtable, sortChunks } from '../../../src/rating/segments/memtable.ts'
import { nobody } from '../../../src/rating/segments/point-listener.ts'
import { PointStore } from '../../../src/rating/segments/point-store.ts'
import { StoreReadOnlyError } from '../../../src/store/store.ts'
import { atOnce } from '../../../src/time-slice.ts'
import { crashAnywhere } from '../../helpers/crash-pictures.ts'
import { depth } from '../../helpers/depth.ts'
import { heldAsync } from '../../helpers/held.ts'
import { allLost, SimulatedDisk } from '../../helpers/simulated-disk.ts'
import { anyBatch, anyPoint, at, NaiveStore, storedTexts, usage } from '../../helpers/usage.ts'

/** Small enough that a handful of batches is written out, merged and rewritten. */
const tinyLimits = { memoryPoints: 8, segmentPoints: 40, mergeCount: 3, removalCount: 2 }

/** Points of a month that become a segment at once. */
type Segment = Batch & { readonly month: Month }

type Step = Batch | Segment | 'flush' | 'reopen'

const anySegment = anyBatch.map(({ points, ...rest }): Segment => {
  const month = monthOf(points[0]?.begin ?? 0)
  return { month, ...rest, points: points.filter(({ begin }) => monthOf(begin) === month) }
})

const anyWrite: fc.Arbitrary<Step> = fc.oneof({ weight: 5, arbitrary: anyBatch }, anySegment)

const steps = fc.array(
  fc.oneof({ weight: 6, arbitrary: anyWrite }, fc.constantFrom<Step>('flush', 'reopen')),
  { maxLength: 25 },
)

async function perform(store: PointStore, step: Batch | Segment): Promise<void> {
  if (!('month' in step)) return void (await store.write(step))
  await using staged = await store.stage(step.month, chunksOf(step, step.month))
  await staged.store(step.removals ?? [])
}

function chunksOf(batch: Batch, month: Month): readonly Chunk[] {
  const memtable = new Memtable(1)
  for (const series of atOnce(prepareBatch(batch)).series) memtable.add(series)
  return atOnce(sortChunks(memtable.chunks(month)))
}

t.test(
  'a store holds what was written, however it was flushed, merged and opened again',
  async t => {
    await heldAsync(
      t,
      fc.asyncProperty(steps, async steps => {
        const naive = new NaiveStore()
        const disk = new SimulatedDisk()
        let store = await PointStore.open('s', { files: disk, limits: tinyLimits })
        for (const step of steps) {
          if (step === 'flush') await store.flush()
          else if (step === 'reopen') {
            await store.close()
            store = await PointStore.open('s', { files: disk, limits: tinyLimits })
          } else {
            await perform(store, step)
            naive.write(step)
          }
          const period = { begin: at('2026-10-31T10'), end: at('2026-11-01T08') }
          const inPeriod = [...(await storedTexts(store, period))].sort()
          if (inPeriod.join() !== naive.texts(period).join()) return false
        }
        const all = [...(await storedTexts(store))].sort()
        await store.close()
        return all.join() === naive.texts().join()
      }),
      { numRuns: 50 * depth },
    )
  },
)

t.test('the order of points does not depend on how they were written', async t => {
  await heldAsync(
    t,
    fc.asyncProperty(fc.array(anyPoint), fc.infiniteStream(fc.nat(4)), async (points, cuts) => {
      const whole = await PointStore.open('a', { files: new SimulatedDisk() })
      await whole.write({ origin: 'dns', points })
      const parts = await PointStore.open('b', { files: new SimulatedDisk(), limits: tinyLimits })
      for (let rest = points.toReversed(); rest.length > 0; ) {
        const count = (cuts.next().value ?? 0) + 1
        await parts.write({ origin: 'dns', points: rest.slice(0, count) })
        rest = rest.slice(count)
      }
      const [a, b] = [await storedTexts(whole), await storedTexts(parts)]
      await whole.close()
      await parts.close()
      return a.join() === b.join()
    }),
    { numRuns: 50 },
  )
})

t.test('after power failures at any change all that was acknowledged is there', async t => {
  const someSteps = fc.array(
    fc.oneof({ weight: 6, arbitrary: anyWrite }, fc.constant<Step>('flush')),
    { minLength: 3, maxLength: 12 },
  )
  const failure = fc.record({ when: fc.double({ min: 0, max: 1, noNaN: true }), seed: fc.nat() })
  await heldAsync(
    t,
    fc.asyncProperty(someSteps, failure, failure, async (steps, first, second) => {
      const unhurt = new SimulatedDisk()
      await runSteps(unhurt, steps)
      const disk = new SimulatedDisk()
      let expected: readonly NaiveStore[] = [new NaiveStore()]
      let found = disk
      for (const { when, seed } of [first, second]) {
        found.failsAt = Math.floor(1 + when * unhurt.changeCount)
        expected = await runSteps(found, steps, expected[0])
        const isSound = await holdsOneOf(expected, found.afterKill())
        found = found.afterPowerFailure(seed)
        const held = isSound ? await holdsOneOf(expected, found) : undefined
        if (held === undefined) return false
        expected = [held]
      }
      return true
    }),
    { numRuns: 80 * depth },
  )
})

t.test(
  'a crash at any change of the disk leaves all that was acknowledged, and a store',
  async t => {
    const disk = new SimulatedDisk()
    const naive = new NaiveStore()
    const states = [naive.texts().join()]
    const open = (files: SimulatedDisk) => PointStore.open('s', { files, limits: tinyLimits })
    const textOf = async (store: PointStore) => [...(await storedTexts(store))].sort().join()
    const run = async (acknowledge: () => void) => {
      const store = await open(disk)
      for (let i = 0; i < 24; i += 1) {
        const begin = i % 3 === 0 ? '2026-10-31T23' : '2026-11-01T05'
        const points = Array.from({ length: 3 }, () => usage(begin, `p${i % 2}`, String(i)))
        const removals = i % 6 === 5 ? [{ projectId: 'p1', period: allTime }] : []
        const batch = { origin: 'dns', removals, points }
        naive.write(batch)
        states.push(naive.texts().join())
        await perform(store, i % 4 === 1 ? { ...batch, month: begin.slice(0, 7) } : batch)
        acknowledge()
        if (i % 8 === 7) await store.flush()
      }
      await store.close()
    }
    const { defects, pictureCount } = await crashAnywhere(disk, run, async picture => {
      const found = await open(picture.disk)
      const text = await textOf(found)
      if (!states.slice(picture.acknowledged).includes(text)) return `the points are ${text}`
      await found.write({ origin: 'dns', points: [usage('2026-11-01T06', 'after', '1')] })
      const expected = await textOf(found)
      await found.flush()
      const again = await textOf(await open(picture.disk.after(allLost)))
      return again === expected ? undefined : 'a second crash lost something'
    })
    t.same(defects.slice(0, 5), [])
    t.ok(pictureCount > 200, `${pictureCount} pictures`)
  },
)

/** Runs steps until the disk fails. Tells what the store may hold then: all that was acknowledged, without or with
 *  what was under way. */
async function runSteps(
  disk: SimulatedDisk,
  steps: readonly Step[],
  start = new NaiveStore(),
): Promise<readonly NaiveStore[]> {
  const acknowledged = start.copy()
  let attempted = acknowledged
  try {
    const store = await PointStore.open('s', { files: disk, limits: tinyLimits })
    for (const step of steps) {
      if (typeof step === 'string') {
        await store.flush()
        continue
      }
      attempted = acknowledged.copy()
      attempted.write(step)
      await perform(store, step)
      acknowledged.write(step)
    }
    await store.close()
  } catch {
    // The power has gone.
  }
  return [acknowledged, attempted]
}

/** Opens the store on a disk and tells which of the expected contents it has. */
async function holdsOneOf(
  expected: readonly NaiveStore[],
  disk: SimulatedDisk,
): Promise<NaiveStore | undefined> {
  const store = await PointStore.open('s', { files: disk, limits: tinyLimits })
  const texts = [...(await storedTexts(store))].sort().join()
  await store.close()
  return expected.find(naive => naive.texts().join() === texts)
}

t.test('at every step of writing out and merging, readers see what was written, once', async t => {
  const limits = { ...tinyLimits, removalCount: 0 }
  const store = await PointStore.open('s', { files: new SimulatedDisk(), limits })
  const points = Array.from({ length: 30 }, (_, i) =>
    usage(`2026-10-${String(i + 1).padStart(2, '0')}`, `p${i}`, '1'),
  )
  for (const point of points) await store.write({ origin: 'dns', points: [point, point] })
  const replaced = async () => {
    for (const [i, point] of points.entries()) {
      const removal = { projectId: `p${i}`, period: point }
      await store.write({ origin: 'dns', removals: [removal], points: [point] })
    }
    await store.flush()
  }
  let isDone = false
  const done = replaced().finally(() => {
    isDone = true
  })
  const snapshots = []
  while (!isDone) {
    snapshots.push(store.snapshot(allTime))
    // What has worked for some milliseconds rests until the next turn of the event loop.
    await (snapshots.length % 500 === 0 ? nextImmediate() : null)
  }
  await done
  snapshots.push(store.snapshot(allTime))
  let least = 2 * points.length
  for (const snapshot of snapshots) {
    let count = 0
    for await (const chunks of snapshot.scan()) for (const chunk of chunks) count += chunk.count
    if (count > least) t.fail(`${count} points after ${least}`)
    least = count
    await snapshot[Symbol.asyncDispose]()
  }
  t.ok(snapshots.length > 200)
  t.equal(least, points.length)
  await store.close()
})

t.test('a segment is seen as a whole, and hidden by what is removed after it alone', async t => {
  const store = await PointStore.open('s', { files: new SimulatedDisk(), limits: tinyLimits })
  const points = ['05', '06', '07'].map(hour => usage(`2026-10-01T${hour}`, 'p1', '1'))
  const batch = { origin: 'dns', points }
  const removal = { origin: 'dns', removals: [{ period: allTime }], points: [] }
  await store.write(batch)
  await store.write(removal)
  const counts: number[] = []
  async function* chunks() {
    for (const chunk of chunksOf(batch, '2026-10')) {
      yield chunk
      counts.push((await storedTexts(store)).length)
    }
  }
  await using staged = await store.stage('2026-10', chunks())
  t.same(counts, [0])
  await store.write({ origin: 'dns', points: [usage('2026-10-02', 'p1', '1')] })
  await staged.store([])
  t.equal((await storedTexts(store)).length, 4)
  await store.write(removal)
  t.same(await storedTexts(store), [])
  await store.close()
})

t.test('a segment has its place among the batches, however long they take', async t => {
  const store = await PointStore.open('s', { files: new SimulatedDisk() })
  const batch = { origin: 'dns', points: [usage('2026-10-01T05', 'p2', '1')] }
  const removals = [{ projectId: 'p1', period: allTime }]
  await using staged = await store.stage('2026-10', chunksOf(batch, '2026-10'))
  const many = Array.from({ length: 5000 }, (_, i) => usage('2026-10-01', 'p1', String(i)))
  const before = store.write({ origin: 'dns', points: many })
  const stored = staged.store(removals)
  const after = store.write({
    origin: 'dns',
    removals: [{ projectId: 'p2', period: allTime }],
    points: [],
  })
  await Promise.all([before, stored, after])
  t.same(await storedTexts(store), [])
  await store.close()
})

t.test('chunks of several ranks are read in order', async t => {
  const metrics = ['dns.zone', 'dns.bytes', 'dns.queries']
  const points = metrics.flatMap(metric =>
    ['a', 'b'].map(id => usage('2026-10-01T05', 'p1', '1', { metric, groupby: { id } })),
  )
  const inOrder = await PointStore.open('a', { files: new SimulatedDisk() })
  await inOrder.write({ origin: 'dns', points })
  const store = await PointStore.open('b', { files: new SimulatedDisk(), limits: tinyLimits })
  const rankOf = ({ series }: Chunk) => metrics.toSorted().indexOf(series.metric)
  const chunks = points.map(point => chunkOfPoint(point, 'dns'))
  for (let count = 1; count <= tinyLimits.mergeCount; count += 1) {
    const removals = [{ period: allTime }]
    await using staged = await store.stage('2026-10', chunks, rankOf)
    await staged.store(removals)
    t.same(await storedTexts(store), await storedTexts(inOrder))
  }
  await using staged = await store.stage('2026-10', chunks, rankOf)
  await staged.store([])
  await store.flush()
  t.same(
    await storedTexts(store),
    (await storedTexts(inOrder)).flatMap(text => [text, text]),
  )
  await store.close()
  await inOrder.close()
})

t.test('a segment that is not stored leaves nothing behind', async t => {
  const disk = new SimulatedDisk()
  const store = await PointStore.open('s', { files: disk })
  const paths = disk.paths
  const batch = { origin: 'dns', points: [usage('2026-10-01T05', 'p1', '1')] }
  const chunks = chunksOf(batch, '2026-10')
  {
    await using _ = await store.stage('2026-10', chunks)
    t.equal(disk.paths.length, paths.length + 1)
  }
  t.same(disk.paths, paths)
  async function* broken() {
    yield* chunks
    throw new RangeError('no more')
  }
  await t.rejects(store.stage('2026-10', broken()), RangeError)
  t.equal(store.readOnlyReason, undefined)
  t.same(disk.paths, paths)
  const closed = Promise.withResolvers<void>()
  async function* closing() {
    closed.resolve(store.close())
    await nextImmediate()
    yield* chunks
  }
  const refused = t.rejects(store.stage('2026-10', closing()), StoreReadOnlyError)
  await closed.promise
  t.same(disk.paths, paths, 'the store is closed after that')
  await refused
})

t.test('merging ends when the store is closed, and is done by the next run', async t => {
  const disk = new SimulatedDisk()
  const segments = () => disk.paths.filter(path => path.includes('/2026-10/')).length
  const store = await PointStore.open('s', { files: disk, limits: tinyLimits })
  const batch = { origin: 'dns', points: [usage('2026-10-01T05', 'p1', '1')] }
  const closed = Promise.withResolvers<void>()
  for (let i = 1; i <= tinyLimits.mergeCount; i += 1) {
    await using staged = await store.stage('2026-10', chunksOf(batch, '2026-10'))
    if (i === tinyLimits.mergeCount)
      disk.before = ({ kind, path }) => {
        if (kind === 'create' && path.includes('/2026-10/')) closed.resolve(store.close())
      }
    await staged.store([])
  }
  await closed.promise
  t.equal(store.readOnlyReason, undefined)
  t.equal(segments(), tinyLimits.mergeCount)
  disk.before = () => undefined
  const second = await PointStore.open('s', { files: disk, limits: tinyLimits })
  while (segments() > 1) await nextImmediate()
  t.equal((await storedTexts(second)).length, tinyLimits.mergeCount)
  await second.close()
})

t.test('a full disk refuses a segment, and nothing of it is left', async t => {
  const disk = new SimulatedDisk()
  const store = await PointStore.open('s', { files: disk })
  const batch = { origin: 'dns', points: [usage('2026-10-01T05', 'p1', '1')] }
  const write = () => perform(store, { ...batch, month: '2026-10' })
  // However much room there is: in the log, in the segment, in the manifest.
  for (let room = 0; room < 800; room += 50) {
    const before = (await storedTexts(store)).length
    disk.capacityOctets = disk.usedOctets + room
    const storedCount = await write().then(
      () => 1,
      () => 0,
    )
    t.equal((await storedTexts(store)).length, before + storedCount)
    disk.capacityOctets = Number.POSITIVE_INFINITY
    await store.resume()
    await store.flush()
  }
  await write()
  const expected = await storedTexts(store)
  await store.close()
  const again = await PointStore.open('s', { files: disk.afterPowerFailure(1) })
  t.same(await storedTexts(again), expected)
  await again.close()
})

t.test('a batch whose key is known is not stored again, not even after a restart', async t => {
  const disk = new SimulatedDisk()
  const batch = { key: 'k', origin: 'dns', points: [usage('2026-10-01T05', 'p1', '1')] }
  const store = await PointStore.open('s', { files: disk })
  const results = await Promise.all([store.write(batch), store.write(batch)])
  t.same(results, [{ isNew: true }, { isNew: false }])
  await store.close()
  const again = await PointStore.open('s', { files: disk })
  t.same(await again.write(batch), { isNew: false }, 'from the log')
  await again.flush()
  await again.close()
  const later = await PointStore.open('s', { files: disk })
  t.same(await later.write(batch), { isNew: false }, 'from the manifest')
  t.equal((await storedTexts(later)).length, 1)
  await later.close()
})

t.test('writes at the same time share a sync and all come true', async t => {
  const disk = new SimulatedDisk()
  const store = await PointStore.open('s', { files: disk })
  const before = disk.changeCount
  const points = Array.from({ length: 50 }, (_, i) => usage('2026-10-01T05', `p${i}`, '1'))
  await Promise.all(points.map(point => store.write({ origin: 'dns', points: [point] })))
  t.equal((await storedTexts(store)).length, 50)
  t.ok(disk.changeCount - before <= 4, 'one append and one sync, or two')
  await store.close()
})

t.test(
  'a snapshot keeps what it saw, whatever is written, removed and merged meanwhile',
  async t => {
    const store = await PointStore.open('s', { files: new SimulatedDisk(), limits: tinyLimits })
    const hour = (i: number) => usage(`2026-10-01T${String(i).padStart(2, '0')}`, 'p1', String(i))
    for (let i = 0; i < 10; i++) await store.write({ origin: 'dns', points: [hour(i)] })
    const before = await storedTexts(store)
    await using snapshot = store.snapshot(allTime)
    await store.write({ origin: 'dns', removals: [{ period: allTime }], points: [hour(20)] })
    for (let i = 11; i < 20; i++) await store.write({ origin: 'dns', points: [hour(i)] })
    await store.flush()
    let count = 0
    for await (const chunks of snapshot.scanInOrder())
      for (const chunk of chunks) count += chunk.count
    t.equal(count, before.length)
    t.equal((await storedTexts(store)).length, 10)
    await store.close()
  },
)

t.test('what begins before an instant can be dropped, with its files', async t => {
  const disk = new SimulatedDisk()
  const store = await PointStore.open('s', { files: disk, limits: tinyLimits })
  const days = ['2026-08-15T00', '2026-09-01T00', '2026-09-30T23', '2026-10-01T00']
  await store.write({ origin: 'dns', points: days.map(day => usage(day, 'p1', '1')) })
  await store.flush()
  t.notOk(await store.holdsBefore(at('2026-08-15')))
  t.ok(await store.holdsBefore(at('2026-08-15T01')))
  await store.dropBefore(at('2026-09-15'))
  t.notOk(await store.holdsBefore(at('2026-09-15')))
  t.equal((await storedTexts(store)).length, 2)
  t.notOk(disk.paths.some(path => path.includes('2026-08')))
  await store.dropBefore(at('2026-10-01'))
  t.same(disk.paths.filter(path => path.endsWith('.segment')).length, 1)
  await store.close()
  const again = await PointStore.open('s', { files: disk, limits: tinyLimits })
  t.equal((await storedTexts(again)).length, 1)
  await again.close()
})

t.test('where anything is held is known by the month, and on disk to the second', async t => {
  const store = await PointStore.open('s', { files: new SimulatedDisk() })
  const from = (text: string) => store.heldFrom(at(text))
  t.same([from('0001-01-01'), store.lastBegin], [undefined, undefined])
  for (const hour of ['2026-08-31T23', '2026-11-02T05'])
    await store.write({ origin: 'dns', points: [usage(hour, 'p1', '1')] })
  t.same([from('2026-07-01'), store.lastBegin], [at('2026-08-01'), at('2026-11-02T05')])
  t.same([from('2026-08-20'), from('2026-09-20')], [at('2026-08-20'), at('2026-11-01')])
  await store.flush()
  t.same([from('2026-07-01'), store.lastBegin], [at('2026-08-31T23'), at('2026-11-02T05')])
  t.same([from('2026-09-20'), from('2026-11-03')], [at('2026-11-02T05'), undefined])
  await store.dropBefore(at('2026-11-01'))
  t.equal(from('2026-07-01'), at('2026-11-02T05'))
  await store.close()
})

t.test('batches keep the order in which they were given, however long they take', async t => {
  const store = await PointStore.open('s', { files: new SimulatedDisk() })
  const many = Array.from({ length: 20_000 }, (_, i) => usage('2026-10-01', `p${i}`, '1'))
  const order: string[] = []
  const batchStored = ({ key = '' }: PreparedBatch) => void order.push(key)
  store.setListener({ ...nobody, batchStored })
  const long = store.write({ key: 'long', origin: 'dns', points: many })
  const removal = { key: 'removal', origin: '', removals: [{ period: allTime }], points: [] }
  await Promise.all([long, store.write(removal)])
  t.strictSame(order, ['long', 'removal'])
  t.strictSame(await storedTexts(store), [])
  await store.close()
})

t.test('a batch that cannot be written down is refused alone', async t => {
  const store = await PointStore.open('s', { files: new SimulatedDisk() })
  const broken = { ...usage('2026-10-01', 'p1', '1'), groupby: undefined as never }
  const sound = store.write({ origin: 'dns', points: [usage('2026-10-01', 'p2', '1')] })
  await t.rejects(store.write({ origin: 'dns', points: [broken] }), TypeError)
  await sound
  await store.write({ origin: 'dns', points: [usage('2026-10-01', 'p3', '1')] })
  t.equal((await storedTexts(store)).length, 2)
  t.equal(store.readOnlyReason, undefined)
  await store.close()
})

t.test('a disk that refuses a write makes the store read-only; reading goes on', async t => {
  const disk = new SimulatedDisk()
  const store = await PointStore.open('s', { files: disk })
  const batch = { origin: 'dns', points: [usage('2026-10-01T05', 'p1', '1')] }
  await store.write(batch)
  disk.failsAt = disk.changeCount + 2
  await t.rejects(store.write(batch), StoreReadOnlyError)
  disk.failsAt = Number.POSITIVE_INFINITY
  await t.rejects(store.write(batch), StoreReadOnlyError, 'a failed sync is not tried again')
  t.match(store.readOnlyReason, 'after a restart')
  t.equal((await storedTexts(store)).length, 1)
  await store.close()
  await t.rejects(store.write(batch), StoreReadOnlyError)
})

t.test('a full disk refuses batches, and takes them again when there is room', async t => {
  const disk = new SimulatedDisk()
  const store = await PointStore.open('s', { files: disk })
  const batch = (hour: string) => ({ origin: 'dns', points: [usage(hour, 'p1', '1')] })
  await store.write(batch('2026-10-01T05'))
  disk.capacityOctets = disk.usedOctets + 20
  await t.rejects(store.write(batch('2026-10-01T06')), StoreReadOnlyError)
  await store.resume()
  t.match(store.readOnlyReason, 'the disk is full')
  t.equal((await storedTexts(store)).length, 1)
  const found = await PointStore.open('s', { files: disk.afterKill() })
  t.equal((await storedTexts(found)).length, 1, 'what was refused is not there')
  disk.capacityOctets = Number.POSITIVE_INFINITY
  await store.resume()
  await store.write(batch('2026-10-01T07'))
  await store.close()
  const again = await PointStore.open('s', { files: disk.afterPowerFailure(1) })
  t.equal((await storedTexts(again)).length, 2)
})

t.test('what could not be written out is, when there is room; nothing is left over', async t => {
  // However much room there is: in a segment, its second, the manifest.
  for (let room = 0; room < 1500; room += 50) {
    const disk = new SimulatedDisk()
    const store = await PointStore.open('s', { files: disk })
    const points = ['2026-10-01T05', '2026-11-01T05'].map(hour => usage(hour, 'p1', '1'))
    await store.write({ origin: 'dns', points })
    const before = disk.paths.length
    disk.capacityOctets = disk.usedOctets + room
    const isRefused = await store.flush().then(
      () => false,
      () => true,
    )
    if (isRefused) {
      t.ok(disk.paths.length <= before + 1, 'one segment more, at most')
      t.equal((await storedTexts(store)).length, 2)
      const found = await PointStore.open('s', { files: disk.afterPowerFailure(room) })
      t.equal((await storedTexts(found)).length, 2)
    }
    disk.capacityOctets = Number.POSITIVE_INFINITY
    await store.resume()
    await store.flush()
    t.equal(disk.paths.filter(path => path.endsWith('.segment')).length, 2)
    await store.write({ origin: 'dns', points })
    await store.close()
    const again = await PointStore.open('s', { files: disk.afterPowerFailure(room) })
    t.equal((await storedTexts(again)).length, 4)
  }
})

for (const [what, hasStore] of [
  ['a store', true],
  ['no store yet', false],
] as const) {
  t.test(`a start on a full disk with ${what} reads what there is, and goes on later`, async t => {
    const disk = new SimulatedDisk()
    const batch = { origin: 'dns', points: [usage('2026-10-01T05', 'p1', '1')] }
    if (hasStore) {
      const before = await PointStore.open('s', { files: disk })
      await before.write(batch)
      await before.close()
    }
    disk.capacityOctets = disk.usedOctets
    disk.isOpenRefused = true
    const store = await PointStore.open('s', { files: disk })
    t.equal((await storedTexts(store)).length, hasStore ? 1 : 0)
    await t.rejects(store.write(batch), StoreReadOnlyError)
    await t.rejects(store.flush(), StoreReadOnlyError)
    await store.resume()
    t.ok(store.readOnlyReason)
    disk.capacityOctets = Number.POSITIVE_INFINITY
    disk.isOpenRefused = false
    await store.resume()
    await store.write(batch)
    await store.close()
    const again = await PointStore.open('s', { files: disk.afterPowerFailure(1) })
    t.equal((await storedTexts(again)).length, hasStore ? 2 : 1)
  })
}

t.test('a store without its manifest, its log or a segment does not start', async t => {
  const filled = async () => {
    const disk = new SimulatedDisk()
    const store = await PointStore.open('s', { files: disk })
    await store.write({ origin: 'dns', points: [usage('2026-10-01T05', 'p1', '1')] })
    await store.flush()
    await store.write({ origin: 'dns', points: [usage('2026-10-01T06', 'p1', '1')] })
    await store.close()
    return disk
  }
  for (const name of (await filled()).paths) {
    const disk = await filled()
    await disk.remove(name)
    await t.rejects(
      PointStore.open('s', { files: disk }),
      { name: 'DamageError' },
      `without ${name}`,
    )
  }
})

t.test('damage is seen: at start in manifest and log, on reading in a segment', async t => {
  const disk = new SimulatedDisk()
  const store = await PointStore.open('s', { files: disk })
  for (const hour of ['05', '06', '07']) {
    await store.write({ origin: 'dns', points: [usage(`2026-10-01T${hour}`, 'p1', '1')] })
    if (hour === '05') await store.flush()
  }
  await store.close()
  for (const path of disk.paths) {
    const damaged = disk.afterKill()
    damaged.damage(path, data => {
      data.writeUInt8(data.readUInt8(20) ^ 1, 20)
      return data
    })
    await t.rejects(
      async () => {
        const opened = await PointStore.open('s', { files: damaged })
        await storedTexts(opened)
      },
      { name: 'DamageError' },
      path,
    )
  }
})

t.test('a segment that is damaged or gone is not merged, and later points are stored', async t => {
  for (const harm of ['damaged', 'gone']) {
    const disk = new SimulatedDisk()
    const told: string[] = []
    const options = {
      limits: tinyLimits,
      onDamaged: ({ file }: { file: string }) => told.push(file),
    }
    const store = await PointStore.open('s', { files: disk, ...options })
    const write = async (hour: string) => {
      await store.write({ origin: 'dns', points: [usage(`2026-10-01T${hour}`, 'p1', '1')] })
      await store.flush()
    }
    await write('05')
    const [path = ''] = disk.paths.filter(each => each.endsWith('.segment'))
    if (harm === 'gone') await disk.remove(path)
    else disk.damage(path, octets => octets.subarray(0, -1))
    for (const hour of ['06', '07', '08']) await write(hour)
    t.equal(store.readOnlyReason, undefined)
    t.same(new Set(told), new Set([path.slice(1)]), harm)
    await t.rejects(storedTexts(store), { name: 'DamageError' })
    const later = { begin: at('2026-10-01T06'), end: at('2026-10-01T09') }
    t.equal((await storedTexts(store, later)).length, 3)
    await store.close()
  }
})

t.test('the cut of a torn end outlasts a power failure', async t => {
  const disk = new SimulatedDisk()
  const store = await PointStore.open('s', { files: disk })
  await store.write({ origin: 'dns', points: [usage('2026-10-01T05', 'p1', '1')] })
  await store.close()
  const [journal = ''] = disk.paths.filter(path => path.endsWith('.log'))
  disk.damage(journal, data => Buffer.concat([data, data.subarray(0, -1)]))
  for (let failsAt = 1; failsAt < 20; failsAt++) {
    for (let seed = 0; seed < 5; seed++) {
      const torn = disk.afterKill()
      torn.failsAt = failsAt
      await PointStore.open('s', { files: torn }).then(
        opened => opened.flush().catch(() => undefined),
        () => undefined,
      )
      const found = await PointStore.open('s', { files: torn.afterPowerFailure(seed) })
      t.equal((await storedTexts(found)).length, 1)
      await found.close()
    }
  }
})

t.test('a torn end of the log is cut off and written over', async t => {
  const disk = new SimulatedDisk()
  const store = await PointStore.open('s', { files: disk })
  await store.write({ origin: 'dns', points: [usage('2026-10-01T05', 'p1', '1')] })
  await store.write({ origin: 'dns', points: [usage('2026-10-01T06', 'p1', '1')] })
  await store.close()
  const [journal = ''] = disk.paths.filter(path => path.endsWith('.log'))
  disk.damage(journal, data => data.subarray(0, -1))
  const cuts: unknown[] = []
  const again = await PointStore.open('s', { files: disk, onCut: cut => cuts.push(cut) })
  t.match(cuts, [{ path: /0001\.log$/, offset: 119, octets: 98 }], 'it was perhaps acknowledged')
  t.equal((await storedTexts(again)).length, 1)
  await again.write({ origin: 'dns', points: [usage('2026-10-01T07', 'p1', '1')] })
  await again.close()
  const later = await PointStore.open('s', { files: disk })
  t.equal((await storedTexts(later)).length, 2)
  await later.close()
})

t.test(
  'on a real disk, a store opened again has what was written, in memory and in segments',
  async t => {
    const folder = `${t.testdir()}/rating/usage`
    const store = await PointStore.open(folder)
    await store.write({ origin: 'dns', points: [usage('2026-10-01T05', 'p1', '1')] })
    await store.flush()
    await store.write({ origin: 'dns', points: [usage('2026-09-01T05', 'p1', '2')] })
    const before = await storedTexts(store)
    await store.close()
    await store.close()
    const again = await PointStore.open(folder)
    t.same(await storedTexts(again), before)
    await again.dropBefore(at('2026-10-01'))
    t.equal((await storedTexts(again)).length, 1)
    await again.close()
  },
)
