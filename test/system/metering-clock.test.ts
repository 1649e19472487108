import t from 'tap'
import { queryFor } from '../helpers/ask.ts'
import {
  exported,
  hour,
  openMetered,
  projects,
  queryCounts,
  rate,
  summary,
} from '../helpers/metered-server.ts'
import { askOverUdp } from '../helpers/query-load.ts'

// The effect of a temporarily wrong clock on usage, in the whole process.

t.test('a clock that is set back an hour bills nothing twice, over a restart too', async t => {
  const run = await openMetered(t)
  const zone = await run.zone('back.example.', projects[0])
  const query = queryFor(`${zone.name} SOA`)
  const ask = () => askOverUdp(run.server.dns, new Array(100).fill(query))
  await ask()
  await rate(run.server)
  const before = await exported(run.server)
  await run.server.advance(-hour)
  await ask()
  await run.server.run('flush-usage')
  await run.server.run('rate-usage')
  t.equal(await exported(run.server), before, 'what was rated stays as it is')
  await run.server.stop()
  await run.restart(run.server.nowMillis - hour)
  await ask()
  await run.server.advance(2 * hour)
  await rate(run.server)
  t.same(Object.values(await queryCounts(run.server, ['id'])), [300])
  const hours = await summary(run.server, ['time'], 'dns.zone')
  t.ok(
    hours.every(({ qty }) => qty === 1),
    'each hour is there once',
  )
})

t.test('a clock that is years ahead for a moment stops nothing for long', async t => {
  const run = await openMetered(t)
  const { server } = run
  const zone = await run.zone('ahead.example.', projects[0])
  const query = queryFor(`${zone.name} SOA`)
  const ask = () => askOverUdp(server.dns, new Array(100).fill(query))
  const work = async () => {
    await server.run('flush-usage')
    await server.run('rate-usage')
  }
  await ask()
  await work()
  const years = 10 * 365 * 24 * hour
  await server.advance(years)
  // A flush notices the jump. The server's own could come between two questions, which would then count apart.
  await server.run('flush-usage')
  await ask()
  await work()
  await server.advance(3 * hour)
  await work()
  await server.advance(-years - 3 * hour)
  for (let i = 0; i < 7; i += 1) {
    await work()
    await server.advance(hour / 6)
  }
  await run.zone('later.example.', projects[1])
  await ask()
  await rate(server)
  const counts = await queryCounts(server, ['project_id'])
  t.same(counts, { [projects[0]]: 200 }, 'what was asked meanwhile is not of this day')
  const { results } = await server.call<{
    readonly results: readonly { readonly scope_id: string; readonly state: string }[]
  }>('GET', '/v2/scope')
  const states = results.map(({ scope_id, state }) => [scope_id, state])
  t.same(
    states.sort(),
    projects.map(id => [id, '2026-10-05 12:00:00']),
  )
})

t.test('a clock that is years ahead for a moment removes no usage', async t => {
  const run = await openMetered(t, { ZONEWRIGHT_USAGE_KEEP_MONTHS: '1' })
  const { server } = run
  const zone = await run.zone('kept.example.', projects[0])
  await askOverUdp(server.dns, new Array(100).fill(queryFor(`${zone.name} SOA`)))
  await rate(server)
  const before = await exported(server)
  const years = 10 * 365 * 24 * hour
  await server.advance(years)
  await server.run('prune-usage')
  await server.advance(-years)
  t.equal(await exported(server), before)
  await server.advance(62 * 24 * hour)
  await rate(server)
  await server.run('prune-usage')
  t.equal(await exported(server), '', 'what is old goes')
})
