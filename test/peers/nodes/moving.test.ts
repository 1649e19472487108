import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import t from 'tap'
import { Appliance, adminToken, mainFile } from '../../helpers/appliance.ts'
import { openNodes } from '../../helpers/nodes.ts'
import { programEnvironment } from '../../helpers/program-environment.ts'
import { queryAddresses } from '../../helpers/query.ts'
import { serverFolder } from '../../helpers/server-folder.ts'
import { until } from '../../helpers/until.ts'

// A store of one process moves to several nodes, and back to a single process.

type Change = Readonly<Record<string, unknown>>

const usage = {
  period: { begin: '2026-10-05T10:00:00Z', end: '2026-10-05T11:00:00Z' },
  usage: {
    'dns.queries': [
      {
        vol: { unit: 'Mquery', qty: 3 },
        rating: { price: 1.5 },
        groupby: { project_id: 'customer' },
        metadata: {},
      },
    ],
  },
}
const cost = '/v2/summary?begin=2026-10-01T00:00:00&end=2026-11-01T00:00:00'

t.test('rows, history, events and usage go along, there and back', async t => {
  const folder = serverFolder(t)
  const own = join(folder, 'own')
  const command = (words: readonly string[]) => {
    const options = { env: programEnvironment, encoding: 'utf8' } as const
    const { status, stdout, stderr } = spawnSync(process.execPath, [mainFile, ...words], options)
    return { status, output: stdout + stderr }
  }
  const start = async (dataDirectory: string) => {
    const server = await Appliance.start({ dataDirectory })
    t.teardown(() => server.kill())
    return server
  }
  const first = await start(own)
  const zone = { name: 'example.com.', email: 'ops@example.com' }
  const { id } = await first.json<{ id: string }>('POST', '/v2/zones', zone)
  const add = (server: Appliance, name: string, address: string) =>
    server.json('POST', `/v2/zones/${id}/recordsets`, { name, type: 'A', records: [address] })
  await add(first, 'www.example.com.', '192.0.2.1')
  await first.request('POST', '/v2/dataframes', { dataframes: [usage] })
  const past = async (server: Appliance) =>
    (await server.json<{ history: readonly Change[] }>('GET', `/v2/zones/${id}/history`)).history
  const before = await past(first)
  const costBefore = await first.json('GET', cost)
  t.match(costBefore, { results: [[/^2026-10/, /^2026-11/, 3, 1.5]] })
  await first.stop()

  const cluster = await openNodes(t)
  const url = [cluster.postgres, ...cluster.postgres.standbys].map(each => each.url).join()
  const publish = () => command(['store', 'publish', '--to', url, '--data-dir', own])
  const published = publish()
  t.match(published, { status: 0, output: /^Published, and compared: \d+ rows as of change \d+/m })
  t.match(publish(), { status: 69, output: /holds a store already/ })

  const one = await cluster.start('zw1')
  const two = await cluster.start('zw2')
  t.same(await past(one), before, 'history goes along')
  const report = await one.json('POST', '/admin/check')
  t.match(report, { is_consistent: true, findings: [] }, 'the links of what was published')
  // One of them has the duty, and answers.
  const answers = async () =>
    (await Promise.all([one, two].map(node => node.request('GET', cost)))).find(({ ok }) => ok)
  const answer = await until(answers, found => found !== undefined)
  t.same(await answer?.json(), costBefore, 'so does usage')
  await add(two, 'late.example.com.', '192.0.2.2')
  for (const node of [one, two])
    t.same(
      await until(
        () => queryAddresses(node.endpoint(), 'late.example.com.'),
        found => found.length > 0,
      ),
      ['192.0.2.2'],
    )
  const later = await past(one)
  t.equal(later.length, before.length + 1)
  const archive = join(folder, 'node.tar')
  const client = ['--url', two.apiUrl, '--token', adminToken]
  t.match(command([...client, 'backup', archive]), { status: 0 })
  const restored = command(['restore', archive, '--data-dir', join(folder, 'restored')])
  t.match(restored, { status: 0, output: /\nDifferences: none/ }, 'a backup of a node')
  await Promise.all([one.stop(), two.stop()])

  // The way back does not depend on a standby.
  await cluster.postgres.standAlone()
  const back = join(folder, 'back')
  const fetch = (directory: string) =>
    command(['store', 'fetch', '--from', url, '--data-dir', directory])
  t.match(fetch(back), { status: 0, output: /^Fetched: all rows as of change \d+/m })
  t.match(fetch(back), { status: 69, output: /needs an empty directory/ })
  const again = await start(back)
  t.same(await past(again), later)
  t.same(await again.json('GET', cost), costBefore)
  t.same(await queryAddresses(again.endpoint(), 'late.example.com.'), ['192.0.2.2'])
  await add(again, 'own.example.com.', '192.0.2.3')
  await again.stop()

  // A duty of another PostgreSQL begins behind the terms that have rated.
  const elsewhere = await openNodes(t)
  const to = [elsewhere.postgres, ...elsewhere.postgres.standbys].map(each => each.url).join()
  t.match(command(['store', 'publish', '--to', to, '--data-dir', back]), { status: 0 })
  const anew = await elsewhere.start('zw1')
  const rated = await until(
    () => anew.request('GET', cost),
    ({ ok }) => ok,
  )
  t.same(await rated.json(), costBefore)

  const source = await start(own)
  t.same(await past(source), before, 'what was published is as it was')
})
