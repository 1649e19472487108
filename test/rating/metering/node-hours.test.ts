import t from 'tap'
import { NodeHours } from '../../../src/rating/metering/node-hours.ts'
import { newTally } from '../../../src/rating/metering/tally.ts'
import { fakeClock } from '../../helpers/clock.ts'
import { HandedInMemory } from '../../helpers/handed-hours.ts'
import { ownerOf } from '../../helpers/metered-zones.ts'

const tallies = [{ owner: ownerOf('z'), tally: newTally().fill(1) }]

t.test('the last two hours are handed over again where a failover has lost them', async t => {
  let handed = new HandedInMemory()
  const hours = new NodeHours({
    sourceOf: () => 'zw1',
    handed: { handOver: (...args) => handed.handOver(...args) },
    caughtUp: async () => undefined,
    clock: fakeClock(),
  })
  for (const hour of [1, 2, 3, 3]) await hours.write(hour, tallies)
  const [before] = await handed.read(3)
  await handed.markMerged(3, await handed.read(3))
  await hours.handOverAgain()
  t.same(await handed.unmerged(), [1, 2], 'what is there is left as it is')
  handed = new HandedInMemory()
  await hours.handOverAgain()
  t.same(await handed.unmerged(), [2, 3])
  t.same(await handed.read(3), [before])
  handed = new HandedInMemory()
  for (const hour of [4, 5, 6]) await hours.write(hour, tallies)
  t.same(await handed.unmerged(), [2, 3, 4, 5, 6], 'before hours that have ended meanwhile')
})
