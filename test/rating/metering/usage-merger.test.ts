import t from 'tap'
import type { ScopeState } from '../../../src/model/rating.ts'
import {
  type HandedHours,
  type NodeHour,
  packHour,
  unpackHour,
} from '../../../src/rating/metering/handed-hours.ts'
import { mergeHour } from '../../../src/rating/metering/hour-merge.ts'
import type { ZoneTally } from '../../../src/rating/metering/hourly-usage.ts'
import { NodeHours } from '../../../src/rating/metering/node-hours.ts'
import {
  newTally,
  recordsetMillisAt,
  type Tally,
  zoneMillisAt,
} from '../../../src/rating/metering/tally.ts'
import { type MeteringNode, UsageMerger } from '../../../src/rating/metering/usage-merger.ts'
import { Scopes } from '../../../src/rating/scopes/scopes.ts'
import { everything } from '../../../src/store/indexes.ts'
import { fakeClock } from '../../helpers/clock.ts'
import { HandedInMemory } from '../../helpers/handed-hours.ts'
import { openMemoryStore } from '../../helpers/memory-store.ts'
import { openHours } from '../../helpers/metered-hours.ts'
import { ownerOf } from '../../helpers/metered-zones.ts'
import { at } from '../../helpers/usage.ts'

const noon = at('2026-11-21T12') / 3600
const hourMillis = 3_600_000

function zoneTally(zone: string, amounts: Readonly<Record<number, number>>, project = 'p1') {
  const owner = { ...ownerOf(zone), projectId: project }
  return { owner, tally: Object.assign(newTally(), amounts) }
}

async function nodeHour(
  source: string,
  tallies: readonly ZoneTally[],
  isWhole = true,
): Promise<NodeHour> {
  return { source, isWhole, ...(await packHour(tallies)) }
}

const text = ({ owner, tally }: { owner: ZoneTally['owner']; tally: Tally }) =>
  `${owner.zoneId} of ${owner.projectId}: ${tally.join(' ')}`

t.test(
  'an hour that is packed is read as it was, and its digest goes by what it holds',
  async t => {
    const tallies = Array.from({ length: 5001 }, (_, i) => zoneTally(`z${i}`, { 0: i, 3: 2 ** 52 }))
    const packed = await packHour(tallies)
    t.equal(packed.parts.length, 2)
    const unpacked: ZoneTally[] = []
    for await (const each of unpackHour(packed)) unpacked.push(each)
    t.same(unpacked, tallies)
    t.equal((await packHour([...tallies].reverse())).digest, packed.digest)
    t.not((await packHour(tallies.slice(1))).digest, packed.digest)
    t.same((await packHour([])).parts, [])
  },
)

t.test('counts are added up, and time is that of the node that saw most', async t => {
  const time = { [zoneMillisAt]: hourMillis, [recordsetMillisAt]: 7 * hourMillis }
  const less = { [zoneMillisAt]: 100, [recordsetMillisAt]: 700 }
  const merged = await mergeHour([
    await nodeHour('zw2', [zoneTally('a', { 0: 5, 9: 100, ...less })]),
    await nodeHour('zw1', [zoneTally('a', { 0: 7, 8: 50, ...time })]),
    await nodeHour('zw3', [zoneTally('b', { 1: 1, ...less }, 'p2')]),
  ])
  const expected = [
    zoneTally('a', { 0: 12, 8: 50, 9: 100, ...time }),
    zoneTally('b', { 1: 1, ...less }, 'p2'),
  ]
  t.same(merged.map(text).sort(), expected.map(text))
})

t.test(
  'a zone that changed hands has the time of one node alone, one that saw all of it',
  async t => {
    const of = (project: string, minutes: number, answered: number) =>
      zoneTally('a', { 0: answered, [zoneMillisAt]: minutes * 60_000 }, project)
    const parts = [
      // It was not there when the zone changed hands.
      await nodeHour('zw1', [of('p1', 40, 3), of('p2', 20, 1)], false),
      // It was told when the hour was over.
      await nodeHour('zw2', [of('p1', 60, 4)]),
      await nodeHour('zw3', [of('p1', 15, 0), of('p2', 45, 9)]),
    ]
    const expected = [of('p1', 15, 7), of('p2', 45, 10)].map(text)
    t.same((await mergeHour(parts)).map(text).sort(), expected)
    t.same((await mergeHour([...parts].reverse())).map(text).sort(), expected)
  },
)

async function openMerger() {
  const clock = fakeClock(noon * hourMillis + 61 * 60_000)
  const store = openMemoryStore({ clock })
  const points = { write: async () => ({ isNew: true }) }
  const onRemovalFailed = (error: unknown) => t.fail('a removal failed', { error })
  const scopes = new Scopes({ store, points, onRemovalFailed })
  const hours = await openHours((ids, period) => scopes.open(ids, period))
  const handed = new HandedInMemory()
  const live: MeteringNode[] = []
  const newMerger = () => new UsageMerger({ handed, hours, scopes, nodes: async () => live, clock })
  const merger = newMerger()
  const handOver = async (node: string, hour: number, tallies: readonly ZoneTally[]) => {
    await handed.handOver(hour, await nodeHour(node, tallies))
    const others = live.filter(each => each.node !== node)
    live.splice(0, live.length, ...others, { node, meteredUntil: hour + 1 })
  }
  const responses = async () => {
    const sum = await hours.responses({
      begin: noon * 3600,
      end: (noon + 9) * 3600,
      projectIds: new Set(['p1']),
    })
    return Number(sum.coefficient)
  }
  /** As the rater does. */
  const rated = (until: string) =>
    store.commit(tx => {
      for (const state of [...tx.list('scopeStates', 'all', everything)]) {
        const changes = { lastProcessed: at(until) - 3600, resumeFrom: null }
        tx.put('scopeStates', { ...state, ...changes, version: state.version + 1 })
      }
    })
  const resumeFrom = (project: string) =>
    ([...store.list('scopeStates', 'byScope', project)] as readonly ScopeState[])[0]?.resumeFrom
  return {
    clock,
    hours,
    handed,
    live,
    merger,
    newMerger,
    handOver,
    responses,
    rated,
    resumeFrom,
    scopes,
  }
}

t.test('an hour waits for the nodes that live, two hours at most', async t => {
  const { merger, handOver, live, responses, clock } = await openMerger()
  t.equal(merger.mergedUntil, undefined)
  live.push({ node: 'zw2', meteredUntil: noon }, { node: 'zw3', meteredUntil: undefined })
  await handOver('zw1', noon, [zoneTally('a', { 0: 5 })])
  await merger.run()
  t.equal(await responses(), 0)
  t.equal(merger.mergedUntil, (noon - 1) * 3600)
  await handOver('zw2', noon, [zoneTally('a', { 0: 6 })])
  await handOver('zw3', noon, [])
  await merger.run()
  t.equal(await responses(), 11)
  t.equal(merger.mergedUntil, (noon + 1) * 3600)
  clock.advanceMillis(2 * hourMillis)
  await handOver('zw1', noon + 1, [zoneTally('a', { 0: 100 })])
  await merger.run()
  t.equal(await responses(), 11)
  clock.advanceMillis(hourMillis)
  await merger.run()
  t.equal(await responses(), 111)
  t.equal(merger.mergedUntil, (noon + 2) * 3600)
})

t.test('what comes late is added, and only who used more is rated again', async t => {
  const { merger, handOver, responses, rated, resumeFrom, clock } = await openMerger()
  const both = [zoneTally('a', { 0: 5 }), zoneTally('b', { 0: 1 }, 'p2')]
  await handOver('zw1', noon, both)
  await merger.run()
  clock.advanceMillis(3 * hourMillis)
  await rated('2026-11-21T14')
  await handOver('zw2', noon, [zoneTally('a', { 0: 3 })])
  await merger.run()
  t.equal(await responses(), 8)
  t.equal(resumeFrom('p1'), noon * 3600)
  t.equal(resumeFrom('p2'), null)
  await rated('2026-11-21T14')
  await handOver('zw2', noon, [zoneTally('a', { 0: 3 })])
  await handOver('zw3', noon, [])
  await merger.run()
  t.equal(await responses(), 8, 'handed over again, it does no harm')
  t.equal(resumeFrom('p1'), null)
})

t.test(
  'a stop ends the merge of an hour, which the next holder of the duty does again',
  async t => {
    const { merger, newMerger, handOver, handed, responses } = await openMerger()
    for (const hour of [noon - 1, noon]) await handOver('zw1', hour, [zoneTally('a', { 0: 5 })])
    const read = handed.read.bind(handed)
    handed.read = hour => {
      if (hour === noon) merger.stop()
      return read(hour)
    }
    await merger.run()
    t.equal(await responses(), 0)
    t.same(await handed.unmerged(), [noon])
    t.equal(merger.mergedUntil, undefined)
    await newMerger().run()
    t.equal(await responses(), 5)
    t.same(await handed.unmerged(), [])
  },
)

t.test('a scope that waits to be rated again goes back further; one set ahead stays', async t => {
  const { merger, handOver, rated, resumeFrom, clock, scopes } = await openMerger()
  for (const hour of [noon, noon + 1])
    await handOver('zw1', hour, [zoneTally('a', { 0: 5 }), zoneTally('b', { 0: 5 }, 'p2')])
  clock.advanceMillis(3 * hourMillis)
  await merger.run()
  await rated('2026-11-21T14')
  await scopes.reset({ scopeIds: ['p2'] }, at('2026-11-21T20'))
  for (const hour of [noon + 1, noon]) {
    await handOver('zw2', hour, [zoneTally('a', { 0: 3 }), zoneTally('b', { 0: 5 }, 'p2')])
    await merger.run()
    t.equal(resumeFrom('p1'), hour * 3600)
  }
  t.equal(resumeFrom('p2'), at('2026-11-21T20'))
})

t.test('what comes after a week is left out, and nothing is lost by it', async t => {
  const { merger, handOver, responses, clock, handed } = await openMerger()
  await handOver('zw1', noon, [zoneTally('a', { 0: 5 })])
  await merger.run()
  clock.advanceMillis(8 * 24 * hourMillis)
  await handOver('zw2', noon, [zoneTally('a', { 0: 3 })])
  await merger.run()
  t.equal(await responses(), 5)
  t.same(await handed.unmerged(), [])
})

t.test('a node hands over when it has seen all changes, and says if it was there', async t => {
  const clock = fakeClock((noon + 0.5) * hourMillis)
  const handedOver = new Set<string>()
  const handed: Pick<HandedHours, 'handOver'> = {
    handOver: async (hour, { source, isWhole }) =>
      void handedOver.add(`${source} ${hour - noon} ${isWhole ? 'whole' : 'in part'}`),
  }
  let isBehind = true
  const caughtUp = async () => {
    if (isBehind) throw new Error('the engine is silent')
  }
  const hours = new NodeHours({ sourceOf: () => 'zw1', handed, caughtUp, clock })
  await t.rejects(hours.write(noon, []), { name: 'HandOverError', cause: /silent/ })
  t.equal(hours.usedUntil, undefined)
  isBehind = false
  await hours.write(noon, [])
  await hours.write(noon + 1, [])
  t.same([...handedOver], ['zw1 0 in part', 'zw1 1 whole'])
  t.equal(hours.usedUntil, (noon + 2) * 3600)
})
