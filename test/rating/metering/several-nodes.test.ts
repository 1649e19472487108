import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { Rater } from '../../../src/rating/collector/rater.ts'
import { defaultPriceModel } from '../../../src/rating/hashmap/price-model.ts'
import { applyPriceModel } from '../../../src/rating/hashmap/price-models.ts'
import type { HandedHours } from '../../../src/rating/metering/handed-hours.ts'
import { HourlyUsage } from '../../../src/rating/metering/hourly-usage.ts'
import { Meter, type MeterOptions } from '../../../src/rating/metering/meter.ts'
import { NodeHours } from '../../../src/rating/metering/node-hours.ts'
import { type MeteringNode, UsageMerger } from '../../../src/rating/metering/usage-merger.ts'
import { RatingTerm } from '../../../src/rating/rating-term.ts'
import { Reprocesses } from '../../../src/rating/scopes/reprocesses.ts'
import { Scopes } from '../../../src/rating/scopes/scopes.ts'
import { PointStore } from '../../../src/rating/segments/point-store.ts'
import { everything } from '../../../src/store/indexes.ts'
import type { Store } from '../../../src/store/store.ts'
import { type FakeClock, fakeClock } from '../../helpers/clock.ts'
import { depth } from '../../helpers/depth.ts'
import { HandedInMemory } from '../../helpers/handed-hours.ts'
import { openMemoryStore } from '../../helpers/memory-store.ts'
import { FakeZones } from '../../helpers/metered-zones.ts'
import { SimulatedDisk } from '../../helpers/simulated-disk.ts'
import { storedTexts } from '../../helpers/usage.ts'

// Three nodes meter the same zones, die and come back, are behind and cut off, and whoever rates dies between any two of
// its steps, or loses the duty before one of its commits, and makes that when another has the duty. Beside them, one node alone answers what they have answered and made durable. In the end both have rated the
// same, to the last digit.

const minute = 60_000
const hour = 60 * minute
const nodeNames = ['zw1', 'zw2', 'zw3'] as const
/** Two zones of two projects; each zone has its number in the table. */
const zoneIds = ['a', 'b'] as const

type ZoneChange = { readonly recordsetCount: number } | { readonly projectId: string }

/** What has happened to a zone and not been seen yet. */
type Unseen = { readonly zoneId: string; readonly change: ZoneChange; readonly atMillis: number }

/** A meter with what its threads count. */
class MeteringProcess {
  readonly #clock: FakeClock
  readonly #options: Pick<MeterOptions, 'isBookedByCommit' | 'onTakenBack'>
  readonly #hours: () => MeterOptions['hours']
  readonly #zones: FakeZones
  readonly #unseen: Unseen[] = []
  #disk = new SimulatedDisk()
  #meter: Meter | undefined
  /** What was answered since the last flush. */
  #answered: (readonly [zoneNumber: number, at: number, times: number])[] = []

  constructor(
    clock: FakeClock,
    hours: () => MeterOptions['hours'],
    options: Pick<MeterOptions, 'isBookedByCommit' | 'onTakenBack'>,
  ) {
    this.#clock = clock
    this.#hours = hours
    this.#options = options
    this.#zones = new FakeZones(clock)
    for (const [zoneNumber, zoneId] of zoneIds.entries())
      this.#zones.put(zoneId, { zoneNumber, projectId: `p${zoneNumber}` })
  }

  get isRunning(): boolean {
    return this.#meter !== undefined
  }

  get closedUntil(): number {
    return this.#meter?.closedUntil ?? 0
  }

  async start(): Promise<void> {
    this.#zones.restart()
    this.#meter = await Meter.open({
      ...this.#options,
      folder: '/usage',
      zones: this.#zones,
      hours: this.#hours(),
      clock: this.#clock,
      onEvent: () => undefined,
      files: this.#disk,
    })
  }

  kill(): void {
    this.follow()
    this.#meter = undefined
    this.#disk = this.#disk.afterKill()
    this.#answered = []
  }

  change(unseen: Unseen): void {
    this.#unseen.push(unseen)
    if (!this.isRunning) this.follow()
  }

  /** Sees what has happened. */
  follow(): void {
    for (const { zoneId, change, atMillis } of this.#unseen.splice(0)) {
      const commit = this.#zones.put(zoneId, { ...change, changedAt: atMillis })
      const { rowChanges, added } = commit
      this.#meter?.commitPublished({ atMicros: atMillis * 1000, rowChanges, added })
    }
  }

  answer(zoneNumber: number, at: number, times: number): void {
    this.#zones.answer(zoneNumber, at, times)
    this.#answered.push([zoneNumber, at, times])
  }

  /** Returns what is durable now and was not before. What cannot be handed over is tried again. */
  async flush(): Promise<readonly (readonly [number, number, number])[]> {
    const answered = this.#answered
    this.#answered = []
    await this.#meter?.flush().catch(() => undefined)
    return answered
  }
}

/** A term of the duty that waits before one of its commits. */
type Stalled = {
  /** Refuses writes of points from now on. */
  readonly fence: () => void
  /** Continues, and resolves when it is over. */
  readonly letGo: () => Promise<void>
}

/** When a term ends before its work is done: after so many changes of the disk, and before so many commits. */
type End = { readonly changes: number; readonly commits: number }
const never: End = { changes: Number.POSITIVE_INFINITY, commits: Number.POSITIVE_INFINITY }

/** What rates: when it ends early, another takes its place. */
class RatingProcess {
  readonly store: Store
  readonly #clock: FakeClock
  #disk = new SimulatedDisk()
  #epoch = 0
  #stalled: Stalled | undefined

  constructor(clock: FakeClock) {
    this.#clock = clock
    this.store = openMemoryStore({ clock })
  }

  /** @param onWritten what follows when an hour is stored; a merger sees to that itself */
  async open(onWritten?: ConstructorParameters<typeof HourlyUsage>[1], store = this.store) {
    const clock = this.#clock
    const files = this.#disk
    const points = await PointStore.open('/rating', { files })
    const hourly = await PointStore.open('/hours', { files })
    const onRemovalFailed = () => undefined
    const scopes = new Scopes({ store, points, onRemovalFailed })
    await scopes.finishResets()
    const hours = new HourlyUsage(hourly, onWritten ?? ((ids, period) => scopes.open(ids, period)))
    const reprocesses = new Reprocesses(store)
    const rate = (meteredUntil: () => number, term?: RatingTerm) => {
      const options = { meteredUntil, onAhead: () => undefined, term }
      return new Rater({ store, points, hours, scopes, reprocesses, clock, ...options }).run()
    }
    return { points, hours, scopes, rate }
  }

  /** Merges and rates, up to the end of the term. */
  async run(
    handed: HandedHours,
    nodes: () => Promise<readonly MeteringNode[]>,
    { changes, commits }: End,
  ): Promise<void> {
    const before = this.#stalled
    this.#stalled = undefined
    before?.fence()
    const disk = this.#disk.afterKill()
    this.#disk = disk
    disk.failsAt = disk.changeCount + changes
    const stall = Promise.withResolvers<void>()
    const go = Promise.withResolvers<void>()
    let left = commits
    const commit: Store['commit'] = async change => {
      left -= 1
      if (left === 0) {
        stall.resolve()
        await go.promise
      }
      return this.store.commit(change)
    }
    const store = Object.create(this.store, { commit: { value: commit } }) as Store
    const over = this.#term({ store, disk, handed, nodes, before })
    const isOver = await Promise.race([over.then(() => true), stall.promise.then(() => false)])
    if (isOver) return
    const fence = () => {
      disk.failsAt = disk.changeCount
    }
    const letGo = () => {
      go.resolve()
      return over
    }
    this.#stalled = { fence, letGo }
  }

  async #term({
    store,
    disk,
    handed,
    nodes,
    before,
  }: {
    readonly store: Store
    readonly disk: SimulatedDisk
    readonly handed: HandedHours
    readonly nodes: () => Promise<readonly MeteringNode[]>
    readonly before: Stalled | undefined
  }): Promise<void> {
    const isDead = () => disk.changeCount >= disk.failsAt
    this.#epoch += 1
    const term = new RatingTerm(this.store, this.#epoch)
    try {
      await term.begin()
      const { hours, scopes, rate } = await this.open(async () => undefined, store)
      const markMerged: HandedHours['markMerged'] = async (...args) => {
        if (isDead()) throw new Error('killed')
        await handed.markMerged(...args)
      }
      const mine = {
        unmerged: () => handed.unmerged(),
        read: (each: number) => handed.read(each),
        dropBefore: (each: number) => handed.dropBefore(each),
        markMerged,
      }
      const merger = new UsageMerger({ handed: mine, hours, scopes, nodes, clock: this.#clock })
      await merger.run()
      await before?.letGo()
      await rate(() => merger.mergedUntil ?? 0, term)
      await scopes.settled()
    } catch (error) {
      if (!isDead()) throw error
    } finally {
      await before?.letGo()
    }
  }

  async result() {
    this.#disk = this.#disk.afterKill()
    const { points } = await this.open()
    const states = [...this.store.list('scopeStates', 'all', everything)]
    const rated = states.map(({ scopeId, lastProcessed }) => `${scopeId} ${lastProcessed}`)
    return { points: await storedTexts(points), rated: rated.sort() }
  }
}

/** Three nodes, and one alone beside them. */
class World {
  readonly #clock = fakeClock(Date.UTC(2026, 9, 31, 20))
  readonly #handed = new HandedInMemory()
  readonly #rating = new RatingProcess(this.#clock)
  readonly #alone = new RatingProcess(this.#clock)
  readonly #aloneParts = this.#alone.open()
  readonly #cutOff = new Set<string>()
  readonly #nodes = new Map(nodeNames.map(name => [name, this.#node(name)]))
  #meterAlone: MeteringProcess | undefined

  async begin(): Promise<void> {
    const { hours, scopes } = await this.#aloneParts
    const onTakenBack = (from: number) => scopes.takeBack(from)
    this.#meterAlone = new MeteringProcess(this.#clock, () => hours, { onTakenBack })
    for (const { store } of [this.#rating, this.#alone])
      await applyPriceModel(store, defaultPriceModel)
    for (const process of this.#processes) await process.start()
  }

  /** Time goes on; at the turn of each hour all flush, as the job does. */
  async advance(millis: number): Promise<void> {
    for (let left = millis; left > 0; ) {
      const step = Math.min(left, hour - (this.#clock.nowMillis() % hour))
      this.#clock.advanceMillis(step)
      left -= step
      if (this.#clock.nowMillis() % hour === 0) await this.#flushAll()
    }
  }

  answer(node: string, zoneNumber: number, at: number, times: number): void {
    const process = this.#processOf(node)
    if (!process.isRunning) return
    process.follow()
    process.answer(zoneNumber, at, times)
  }

  /** What was answered before is the owner's of before, also of the one that answers alone. */
  async change(zoneId: string, change: ZoneChange, late: readonly string[]): Promise<void> {
    for (const name of nodeNames) await this.flush(name)
    const unseen = { zoneId, change, atMillis: this.#clock.nowMillis() }
    for (const process of this.#processes) process.change(unseen)
    this.#meterAlone?.follow()
    for (const [name, process] of this.#nodes) if (!late.includes(name)) process.follow()
  }

  async flush(node: string): Promise<void> {
    for (const answer of await this.#processOf(node).flush()) this.#meterAlone?.answer(...answer)
  }

  async killOrStart(node: string): Promise<void> {
    const process = this.#processOf(node)
    if (process.isRunning) process.kill()
    else await process.start()
  }

  cutOrHeal(node: string): void {
    if (!this.#cutOff.delete(node)) this.#cutOff.add(node)
  }

  async rate(end: End = never): Promise<void> {
    const live = [...this.#nodes].filter(([, { isRunning }]) => isRunning)
    const nodes = live.map(([node, { closedUntil }]) => ({
      node,
      meteredUntil: closedUntil / 3600,
    }))
    await this.#rating.run(this.#handed, async () => nodes, end)
  }

  /** All come back and hand over what they have; returns what was rated, here and there. */
  async end() {
    this.#cutOff.clear()
    for (const process of this.#nodes.values()) if (!process.isRunning) await process.start()
    await this.#flushAll()
    await this.advance(3 * hour)
    await this.rate()
    const { rate } = await this.#aloneParts
    await rate(() => this.#meterAlone?.closedUntil ?? 0)
    return { several: await this.#rating.result(), alone: await this.#alone.result() }
  }

  async #flushAll(): Promise<void> {
    for (const name of nodeNames) await this.flush(name)
    await this.#meterAlone?.flush()
  }

  get #processes(): readonly MeteringProcess[] {
    return [...this.#nodes.values(), ...(this.#meterAlone ? [this.#meterAlone] : [])]
  }

  #processOf(node: string): MeteringProcess {
    return this.#nodes.get(node as 'zw1') as MeteringProcess
  }

  #node(node: string): MeteringProcess {
    const clock = this.#clock
    const caughtUp = async () => {
      if (this.#cutOff.has(node)) throw new Error('cut off')
      this.#processOf(node).follow()
    }
    const hours = () =>
      new NodeHours({ sourceOf: () => node, handed: this.#handed, caughtUp, clock })
    const onTakenBack = async () => undefined
    return new MeteringProcess(clock, hours, { isBookedByCommit: true, onTakenBack })
  }
}

const anyNode = fc.constantFrom(...nodeNames)
const anyChange: fc.Arbitrary<ZoneChange> = fc.oneof(
  fc.record({ recordsetCount: fc.nat(9) }),
  fc.record({ projectId: fc.constantFrom('p0', 'p1') }),
)
const anyStep = (survivor: string) => {
  const mortals = nodeNames.filter(name => name !== survivor)
  return fc.oneof(
    {
      weight: 5,
      arbitrary: fc
        .integer({ min: 1, max: 100 * minute })
        .map(millis => (w: World) => w.advance(millis)),
    },
    {
      weight: 5,
      arbitrary: fc
        .tuple(anyNode, fc.nat(1), fc.nat(9), fc.integer({ min: 1, max: 700_000_000 }))
        .map(args => (w: World) => w.answer(...args)),
    },
    {
      weight: 3,
      arbitrary: fc
        .tuple(fc.constantFrom(...zoneIds), anyChange, fc.subarray([...nodeNames]))
        .map(args => (w: World) => w.change(...args)),
    },
    { weight: 2, arbitrary: anyNode.map(node => (w: World) => w.flush(node)) },
    {
      weight: 2,
      arbitrary: fc.constantFrom(...mortals).map(node => (w: World) => w.killOrStart(node)),
    },
    { weight: 1, arbitrary: anyNode.map(node => (w: World) => w.cutOrHeal(node)) },
    {
      weight: 3,
      arbitrary: fc.nat(60).map(changes => (w: World) => w.rate({ ...never, changes })),
    },
    {
      weight: 3,
      arbitrary: fc
        .integer({ min: 1, max: 6 })
        .map(commits => (w: World) => w.rate({ ...never, commits })),
    },
    { weight: 2, arbitrary: fc.constant((w: World) => w.rate()) },
  )
}
const anySteps = anyNode.chain(survivor =>
  fc.array(anyStep(survivor), { minLength: 10, maxLength: 60 }),
)

t.test('three nodes come to what one alone comes to, whichever of them dies when', async t => {
  let pointCount = 0
  const property = fc.asyncProperty(anySteps, async steps => {
    const world = new World()
    await world.begin()
    for (const step of steps) await step(world)
    const { several, alone } = await world.end()
    pointCount += alone.points.length
    assert.deepEqual(several, alone)
  })
  await fc.assert(property, { numRuns: 40 * depth })
  t.ok(pointCount > 100, `${pointCount} points were compared`)
})
