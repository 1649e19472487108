import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { Appliance, adminToken, mainFile } from '../../helpers/appliance.ts'
import { openNodes } from '../../helpers/nodes.ts'
import { programEnvironment } from '../../helpers/program-environment.ts'
import { until } from '../../helpers/until.ts'

// The check of several real nodes, and the faults that prevent a server from becoming a node.

const cluster = await openNodes(t)
const first = await cluster.start('zw1')
const second = await cluster.start('zw2')

/** Runs `check` as the administrator of the first node does. */
async function check(): Promise<{ readonly code: number; readonly output: string }> {
  const child = spawn(process.execPath, [mainFile, 'check'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...programEnvironment,
      ...cluster.environmentOf('zw1'),
      ZONEWRIGHT_DATA_DIR: cluster.directoryOf('zw1'),
      ZONEWRIGHT_API_LISTEN: new URL(first.apiUrl).host,
      ZONEWRIGHT_ADMIN_TOKEN: adminToken,
    },
  })
  const ended = once(child, 'close')
  const output = await text(child.stdout)
  const [code] = await ended
  return { code, output }
}

type NodeView = {
  readonly name: string
  readonly url: string
  readonly clock_ahead_seconds: number
}

async function nodesSeen(): Promise<readonly NodeView[]> {
  const { nodes } = await first.json<{ nodes: readonly NodeView[] }>('GET', '/v2/nodes')
  return nodes
}

t.test('nodes say where they are reached and how their clocks are', async t => {
  const isSettled = (nodes: readonly NodeView[]) =>
    nodes.length === 2 && nodes.every(({ url }) => !url.endsWith(':0'))
  const nodes = await until(nodesSeen, isSettled)
  t.same(
    nodes.map(({ name, url }) => [name, url]),
    [
      ['zw1', first.apiUrl],
      ['zw2', second.apiUrl],
    ],
  )
  for (const node of nodes) t.type(node.clock_ahead_seconds, 'number')
})

t.test('all nodes are checked, and each difference is named', async t => {
  const zone = { name: 'example.com.', email: 'a@example.com' }
  const { id } = await first.json<{ id: string }>('POST', '/v2/zones', zone)
  await until(async () => (await second.request('GET', `/v2/zones/${id}`)).ok)
  const clean = await check()
  t.match(clean.output, /Compared too: nodes zw2\nDifferences: none/)
  t.equal(clean.code, 0)
  await cluster.postgres.psql(`delete from zw_row where id = '${id}'`)
  const { output, code } = await check()
  t.equal(code, 1)
  const problem = `copy: zones ${id}: this node has it, and PostgreSQL has not`
  t.match(output, new RegExp(`^${problem}`, 'm'))
  t.match(output, new RegExp(`^node zw2: ${problem}`, 'm'))
  t.match(output, /Differences: 2/)
})

t.test('a node with other settings, and one that is gone, are named once', async t => {
  await second.stop()
  const other = await cluster.start('zw2', { ZONEWRIGHT_CURRENCY: 'CHF' })
  await cluster.postgres.psql(
    `insert into zw_node select 'zw3', url, role, version, formats, settings, lsn, link, digest, null, '{}',
       now() - interval '5 minutes' from zw_node where node = 'zw1'`,
  )
  await until(nodesSeen, nodes => nodes.some(({ url }) => url === other.apiUrl))
  const { output } = await check()
  const lines = output.split('\n').filter(line => line.startsWith('node: '))
  t.match(lines, [
    /^node: zw2: its settings are not those of the others\. .*give all the same$/,
    /^node: zw3: it was not seen for more than 60 s\. .*nodes remove NAME$/,
  ])
  t.equal(lines.length, 2)
})

t.test('a second server with the name of a node is refused', async t => {
  const environment = cluster.environmentOf('zw1')
  const dataDirectory = cluster.directoryOf('another')
  await t.rejects(
    Appliance.start({ dataDirectory, environment }),
    { message: /another server runs as the node zw1/ },
    'with a directory of its own',
  )
})

t.test('a PostgreSQL that is away is no reason to restore it', async t => {
  await cluster.postgres.stop()
  t.match(
    (await check()).output,
    /^log: the comparison .* given up: .*\. Check again when PostgreSQL/m,
  )
})
