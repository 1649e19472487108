import t, { type Test } from 'tap'
import { queryFor } from '../../helpers/ask.ts'
import type { ClockedAppliance } from '../../helpers/clocked-appliance.ts'
import { exported, hour, projects, queryCounts, summary } from '../../helpers/metered-server.ts'
import { openNodes } from '../../helpers/nodes.ts'
import type { Postgres } from '../../helpers/postgres.ts'
import { askOverTcp } from '../../helpers/query-load.ts'
import { until } from '../../helpers/until.ts'

// 100,000 queries over three nodes, two of which are killed midway: usage that they had made durable is counted, once, and is
// rated as that of one node.

const start = Date.UTC(2026, 9, 5, 10)
const query = queryFor('example.com. SOA')
const zone = { name: 'example.com.', email: 'ops@example.net' }
const names = ['zw1', 'zw2', 'zw3'] as const

async function answerTo(t: Test, { dns }: ClockedAppliance, count: number): Promise<void> {
  const queries = Array.from({ length: count }, () => query)
  const { rcodes } = await askOverTcp(dns, queries)
  t.equal(rcodes.get(0), count)
}

async function total(holder: ClockedAppliance): Promise<number> {
  const counts = Object.values(await queryCounts(holder, ['id']))
  return Math.round(counts.reduce((a, b) => a + b, 0))
}

t.test('usage of three nodes is that of all of them, whichever is killed', async t => {
  const cluster = await openNodes(t)
  const nodes = new Map<string, ClockedAppliance>()
  for (const name of names) nodes.set(name, await cluster.startClocked(name, start))
  const node = (name: string) => nodes.get(name) as ClockedAppliance
  const living = new Set<string>(names)
  await node('zw1').call('POST', '/v2/zones', { body: zone, projectId: projects[0] })
  let counted = 0
  let lost = 0
  const ask = (name: string, count: number) => answerTo(t, node(name), count)
  const flush = async (name: string) => node(name).run('flush-usage')
  const askAndFlush = async (name: string, count: number) => {
    await ask(name, count)
    await flush(name)
    counted += count
  }
  const kill = async (name: string, unflushed: number) => {
    await ask(name, unflushed)
    lost += unflushed
    await node(name).kill()
    living.delete(name)
  }
  const advance = async (millis: number) => {
    for (const name of living) await node(name).advance(millis)
    for (const name of living) await flush(name)
  }
  /** Lets the node with the duty rate usage. */
  const rate = async (isRated: (holder: ClockedAppliance) => Promise<boolean>) => {
    const holder = await until(
      async () => {
        const { nodes: shown } = await node([...living][0] ?? '').call<{
          nodes: readonly { name: string; has_duty: boolean }[]
        }>('GET', '/v2/nodes')
        const name = shown.find(({ has_duty }) => has_duty)?.name ?? ''
        if (!living.has(name)) return undefined
        // A busy machine may not have let a node hand over at once.
        for (const each of living) await flush(each)
        await node(name).run('rate-usage')
        return (await isRated(node(name)).catch(() => false)) ? node(name) : undefined
      },
      found => found !== undefined,
    )
    return holder as ClockedAppliance
  }
  for (const name of names) await askAndFlush(name, 15_000)
  await advance(30 * 60_000)
  await askAndFlush('zw1', 5000)
  await kill('zw1', 500)
  await askAndFlush('zw2', 20_000)
  await kill('zw2', 500)
  await askAndFlush('zw3', 30_000)
  await advance(30 * 60_000 + 1000)
  await advance(3 * hour)
  // A node that is alone rates what it has.
  const alone = await rate(async holder => (await total(holder)) === 45_000)
  t.equal(alone, node('zw3'))
  // Usage that the others had made durable arrives late.
  const nowMillis = node('zw3').nowMillis
  for (const name of ['zw1', 'zw2'] as const) {
    nodes.set(name, await cluster.startClocked(name, nowMillis))
    living.add(name)
    await flush(name)
  }
  t.equal(lost, 1000)
  t.equal(counted, 100_000)
  // A flush by the clock may have come between the last answers of a node and its end.
  const isExact = async (each: ClockedAppliance) => {
    const found = await total(each)
    return found >= counted && found <= counted + lost
  }
  const holder = await rate(isExact)
  const found = await total(holder)
  t.comment(`${found} of ${counted + lost} queries are counted; ${lost} came after the last flush`)
  const zoneHours = await summary(holder, ['id'], 'dns.zone')
  t.equal(zoneHours.length, 1)
  // Of one zone, not of three.
  t.equal(zoneHours[0]?.qty, 3)
  const before = await exported(holder)
  await node('zw1').run('flush-usage')
  await holder.run('rate-usage')
  t.equal(await exported(holder), before, 'rated again, nothing changes')
  const term = `select epoch::text = convert_from(row, 'UTF8')::json ->> 'value' from zw_duty, zw_row
    where collection = 'secrets' and id = 'rating-term'`
  t.equal(await cluster.postgres.psql(term), 't')
  // The next holder has what this one has stored.
  for (const [name, each] of nodes) if (each === holder) living.delete(name)
  await holder.kill()
  const next = await rate(isExact)
  t.equal(await exported(next), before)
})

t.test('a node that begins anew within the hour does not replace what it has counted', async t => {
  const cluster = await openNodes(t)
  const first = await cluster.startClocked('zw1', start)
  await first.call('POST', '/v2/zones', { body: zone, projectId: projects[0] })
  await answerTo(t, first, 100)
  await first.run('flush-usage')
  await first.kill()
  const anew = await cluster.startClocked('zw1', start, {
    dataDirectory: cluster.directoryOf('anew'),
  })
  await answerTo(t, anew, 50)
  await anew.advance(hour)
  await anew.run('flush-usage')
  await anew.stop()
  // What its former directory has of that hour is handed over at the start.
  const again = await cluster.startClocked('zw1', anew.nowMillis)
  await again.advance(3 * hour)
  const rated = async () => {
    await again.run('flush-usage')
    await again.run('rate-usage')
    return total(again).catch(() => 0)
  }
  t.equal(await until(rated, found => found >= 150), 150)
})

t.test('what a failover has lost of usage is counted once', async t => {
  const cluster = await openNodes(t)
  const { postgres } = cluster
  const standby = postgres.standbys[0] as Postgres
  const environment = { ZONEWRIGHT_STORE_LOSSY: 'on' }
  const nodes = [
    await cluster.startClocked('zw1', start, { environment }),
    await cluster.startClocked('zw2', start, { environment }),
  ] as const
  const [first] = nodes
  const all = async (work: (node: ClockedAppliance) => Promise<unknown>) => {
    for (const node of nodes) await work(node)
  }
  await first.call('POST', '/v2/zones', { body: zone, projectId: projects[0] })
  await all(node => node.call('GET', '/v2/nodes'))
  await standby.stop()
  await postgres.standAlone()
  await all(node => answerTo(t, node, 100))
  await all(node => node.advance(hour))
  // The hour is handed over, and then PostgreSQL is lost with it.
  await all(node => node.run('flush-usage'))
  t.equal(await postgres.psql(`select count(*) from zw_usage`), '2')
  await postgres.kill()
  await standby.restart()
  await standby.promote()
  await standby.standAlone()
  t.equal(await standby.psql(`select count(*) from zw_usage`), '0')
  await all(node => node.advance(3 * hour))
  const rated = async () => {
    await all(node => node.run('flush-usage'))
    await all(node => node.run('rate-usage'))
    const totals = await Promise.all(nodes.map(node => total(node).catch(() => 0)))
    return Math.max(...totals)
  }
  t.equal(await until(rated, found => found >= 200), 200)
})
