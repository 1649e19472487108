import t, { type Test } from 'tap'
import type { Appliance } from '../../helpers/appliance.ts'
import { NodeWriters } from '../../helpers/node-writers.ts'
import { openNodes } from '../../helpers/nodes.ts'
import { queryAddresses } from '../../helpers/query.ts'
import { Relay } from '../../helpers/relay.ts'
import { until } from '../../helpers/until.ts'

// A node that dies, stops or is cut off during its turn, in which the relay between it and PostgreSQL holds it.

const cluster = await openNodes(t)
const relay = await Relay.start(cluster.postgres.port)
t.teardown(() => relay.close())
const environment = { ZONEWRIGHT_STORE_URL: relay.urlOf(cluster.postgres.url) }
const others = await Promise.all(['zw1', 'zw2'].map(name => cluster.start(name)))
let own = await cluster.start('zw3', environment)
await own.liftQuotas()

/** Asks a node for a change, and resolves when it has the turn and what it appends is held back. */
async function holdInTurn(t: Test, writers: NodeWriters, passing?: (piece: Buffer) => number) {
  const label = `held${writers.acknowledged.length}`
  const { held, letGo } = relay.holdBack(label, passing)
  const status = writers.create(own, label)
  await held
  const who = `select application_name from pg_locks join pg_stat_activity using (pid) where locktype = 'advisory' and granted`
  t.match(await cluster.postgres.psql(who), /zonewright zw3 log/, 'it has the turn')
  return { status, letGo, label }
}

/** Requests changes until one is made: a refused change stays refused, and another is requested. */
async function requireTakingPart(writers: NodeWriters): Promise<void> {
  let tries = 0
  await until(
    () => {
      tries += 1
      return writers.create(own, `again${tries}`)
    },
    status => status === 202 || status === 201,
  )
}

async function end(t: Test, writers: NodeWriters, label: string): Promise<void> {
  await writers.stop()
  const nodes = [...others, own]
  await writers.requireAll(t, nodes)
  for (const node of nodes)
    t.notOk(await writers.isAnswered(node, label), 'and nothing of its turn')
}

/** Up to where what it appends gets through. The server is in the middle of a message then, or has run a statement and waits for
 *  the end of it. */
const sentBefore = {
  nothing: () => 0,
  half: ({ length }: Buffer) => length / 2,
  'all of a statement but its end': (piece: Buffer) => piece.indexOf('S\0\0\0\x04'),
}

for (const [sent, passing] of Object.entries(sentBefore))
  t.test(`a node that is stopped in its turn when ${sent} is sent`, async t => {
    const writers = await NodeWriters.begin(others, `stopped${sent.length}.example.`)
    await writers.more()
    const { status, letGo, label } = await holdInTurn(t, writers, passing)
    const gap = writers.startGap()
    signal(own, 'SIGSTOP')
    await writers.more()
    t.comment(`the others write again after ${Math.round(gap())} ms`)
    signal(own, 'SIGCONT')
    await letGo()
    t.equal(await status, 503, 'when it goes on it acknowledges nothing')
    await requireTakingPart(writers)
    await end(t, writers, label)
  })

t.test('a node that is cut off in its turn', async t => {
  const writers = await NodeWriters.begin(others, 'cut.example.')
  await writers.more()
  const { status, label } = await holdInTurn(t, writers)
  const gap = writers.startGap()
  relay.cutOff()
  await writers.more()
  t.comment(`the others write again after ${Math.round(gap())} ms`)
  const [name = ''] = writers.acknowledged
  t.not((await queryAddresses(own.endpoint(), name)).length, 0, 'its DNS goes on')
  t.equal(await status, 503)
  relay.heal()
  await requireTakingPart(writers)
  await end(t, writers, label)
})

t.test('a node that is killed in its turn', async t => {
  const writers = await NodeWriters.begin(others, 'killed.example.')
  await writers.more()
  const { status, label } = await holdInTurn(t, writers)
  const gap = writers.startGap()
  await own.kill()
  await writers.more()
  t.comment(`the others write again after ${Math.round(gap())} ms`)
  t.equal(await status, 0)
  own = await cluster.start('zw3', environment)
  await requireTakingPart(writers)
  await end(t, writers, label)
})

function signal({ pid }: Appliance, name: NodeJS.Signals): void {
  if (pid !== undefined) process.kill(pid, name)
}
