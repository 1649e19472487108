// Question: how soon do all of three nodes over one PostgreSQL answer a change that one of them has acknowledged, and how many changes a
//   second do one, two and three nodes make durable, beside one server with a store of its own?
// Method: PostgreSQL with a synchronous standby, three nodes and the embedded server are started once and take part in
//   turns. Latency: a client creates a recordset at one node after another and, from the answer on, asks all three over
//   UDP until they answer it. Throughput: 32 clients, spread over the nodes that take part, create recordsets;
//   processor time is that of the nodes, and of PostgreSQL beside.
// A good number: p99 under 50 ms on a quiet machine; durable changes a second no fewer with three nodes than with one.
// Not measured: nodes and PostgreSQL on machines of their own, which is how they are run.
// Options: --changes 300, --seconds 5, --rounds 3, --joined 0 (recordsets that a further node finds, while others write)

import { execFileSync } from 'node:child_process'
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { types } from '../../src/dns/codes.ts'
import { encodeQuery } from '../../src/dns/message.ts'
import { parseName } from '../../src/dns/name.ts'
import { DatagramClient } from '../../test/helpers/datagram-client.ts'
import { Postgres } from '../../test/helpers/postgres.ts'
import { HttpClient } from './load/http-client.ts'
import { origin, zoneText } from './load/zone.ts'
import { machineLine } from './report/machine.ts'
import { median, quantile } from './report/median.ts'
import { formatTable } from './report/table.ts'
import { apiOf, apiUrl, applianceRecipe, liftQuotas } from './servers/appliance.ts'
import { apiToken, host, type Place, RunningServer } from './servers/running.ts'
import { runTask } from './servers/task.ts'

const core = 0
const clientCount = 32
/** Of 100 names of the large zone. */
const recordsetsOf100 = 160
const large = 'large.example.'
const { values } = parseArgs({
  options: {
    changes: { type: 'string', default: '300' },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    joined: { type: 'string', default: '0' },
  },
})

/** A server, and a client of it. */
type Member = { readonly server: RunningServer; readonly http: HttpClient }

async function main(): Promise<void> {
  // PostgreSQL inherits it.
  execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', '1', `${process.pid}`])
  await using opened = new AsyncDisposableStack()
  const postgres = await Postgres.startPair({ settings: { shared_buffers: '256MB' } })
  opened.defer(() => postgres.close())
  const start = async (name: string, environment: Readonly<Record<string, string>> = {}) => {
    const recipe = (place: Place) => {
      const own = applianceRecipe(place)
      return { ...own, environment: { ...own.environment, ...environment } }
    }
    const server = await RunningServer.start({ name, core, recipe })
    opened.defer(() => server.stop())
    const http = new HttpClient(await apiUrl(server), { 'x-auth-token': apiToken })
    opened.defer(() => http.close())
    return { server, http }
  }
  const startNode = (node: string) =>
    start(node, { ZONEWRIGHT_STORE_URL: postgres.url, ZONEWRIGHT_NODE: node })
  const alone = await start('one server, embedded store')
  const nodes = [await startNode('zw1'), await startNode('zw2'), await startNode('zw3')]
  await prepare(alone)
  await prepare(nodes[0] as Member)
  await printLatency(nodes)
  await printThroughput(alone, nodes)
  const count = Number(values.joined)
  if (count > 0) await printJoining(nodes, () => startNode('zw4'), count)
  console.log(
    `${machineLine()}, load ${loadavg()
      .map(load => load.toFixed(1))
      .join(', ')}`,
  )
}

/** The path of the recordsets of a new zone. */
const paths = new Map<Member, string>()

async function prepare(member: Member): Promise<void> {
  const api = await apiOf(member.server)
  await liftQuotas(api)
  const { id } = await api.post('/v2/zones', { name: origin, email: 'ops@example.net' })
  paths.set(member, `/v2/zones/${id}/recordsets`)
}

let lastName = 0

/** Creates a recordset; returns its name. */
async function create({ http }: Member, path: string): Promise<string> {
  lastName += 1
  const name = `c${lastName}.${origin}`
  await http.call('POST', path, { name, type: 'A', records: ['192.0.2.1'] })
  return name
}

async function printLatency(nodes: readonly Member[]): Promise<void> {
  const [first] = nodes as readonly [Member]
  const path = paths.get(first) ?? ''
  const clients = await Promise.all(
    nodes.map(({ server: { port } }) => DatagramClient.connect({ host, port })),
  )
  const [requests, own, all]: [number[], number[], number[]] = [[], [], []]
  for (let i = 0; i < Number(values.changes); i += 1) {
    const at = i % nodes.length
    const askedAt = performance.now()
    const name = await create(nodes[at] as Member, path)
    const acknowledgedAt = performance.now()
    requests.push(acknowledgedAt - askedAt)
    const query = encodeQuery({ id: 1, name: parseName(name), type: types.A })
    const times = await Promise.all(
      clients.map(async client => {
        while (!hasAnswer(await client.ask(query)));
        return performance.now() - acknowledgedAt
      }),
    )
    own.push(times[at] as number)
    all.push(Math.max(...times))
  }
  for (const client of clients) client.close()
  const row = (title: string, times: readonly number[]) => [
    title,
    ...[0.5, 0.99, 1].map(share => `${quantile(times, share).toFixed(1)} ms`),
  ]
  const rows = [
    row('request at one node', requests),
    row('from then, answered by that node', own),
    row('from then, answered by all three', all),
  ]
  console.log(`${formatTable([`${values.changes} changes`, 'p50', 'p99', 'longest'], rows)}\n`)
}

function hasAnswer(response: string): boolean {
  return response.charCodeAt(6) * 256 + response.charCodeAt(7) > 0
}

async function printThroughput(alone: Member, nodes: readonly Member[]): Promise<void> {
  const sets = [[alone], nodes.slice(0, 1), nodes.slice(0, 2), nodes]
  const rounds = sets.map((): Throughput[] => [])
  for (let round = 0; round < Number(values.rounds); round += 1)
    for (const [i, set] of sets.entries())
      rounds[i]?.push(await writeAt(set, i === 0 ? set : nodes))
  const [embedded = Number.NaN] = rounds.map(of => median(of.map(each => each.perSecond)))
  const rows = sets.map((set, i) => {
    const of = (pick: (one: Throughput) => number) => median((rounds[i] ?? []).map(pick))
    const title = i === 0 ? alone.server.name : `${set.length} of three nodes`
    const perSecond = of(one => one.perSecond)
    const refused = of(one => one.refusedCount)
    const cells = [perSecond.toFixed(), `${refused}`, (perSecond / embedded).toFixed(2)]
    return [title, ...cells, ...[of(one => one.writerMicros), of(one => one.micros)].map(inMicros)]
  })
  const headings = [
    '',
    'changes a second',
    'refused',
    '÷ embedded',
    'CPU where written',
    'CPU of all',
  ]
  console.log(`${formatTable(headings, rows)}\n`)
}

function inMicros(micros: number): string {
  return `${micros.toFixed()} µs`
}

type Throughput = {
  readonly perSecond: number
  /** Changes that got no turn in time. */
  readonly refusedCount: number
  /** Processor time of a change at those that take part. */
  readonly writerMicros: number
  /** And at those that follow besides. */
  readonly micros: number
}

async function writeAt(writers: readonly Member[], all: readonly Member[]): Promise<Throughput> {
  const path = paths.get(all[0] as Member) ?? ''
  const cpu = (members: readonly Member[]) =>
    members.reduce((sum, { server }) => sum + server.cpuSeconds(), 0)
  const before = [cpu(writers), cpu(all)] as const
  let refusedCount = 0
  const startedAt = performance.now()
  const endsAt = startedAt + Number(values.seconds) * 1000
  let count = 0
  const clients = Array.from({ length: clientCount }, async (_, i) => {
    while (performance.now() < endsAt) {
      const isMade = create(writers[i % writers.length] as Member, path).then(
        () => true,
        () => false,
      )
      if (await isMade) count += 1
      else refusedCount += 1
    }
  })
  await Promise.all(clients)
  const micros = (from: number, members: readonly Member[]) => ((cpu(members) - from) / count) * 1e6
  return {
    perSecond: count / ((performance.now() - startedAt) / 1000),
    refusedCount,
    writerMicros: micros(before[0], writers),
    micros: micros(before[1], all),
  }
}

/** A further node joins once there are so many recordsets, while one client keeps writing at each of the others. */
async function printJoining(
  nodes: readonly Member[],
  startJoining: () => Promise<Member>,
  count: number,
): Promise<void> {
  const [first] = nodes as readonly [Member]
  const text = zoneText(Math.ceil((count / recordsetsOf100) * 100)).replaceAll(origin, large)
  await runTask(first.http, '/v2/zones/tasks/imports', text)
  let isOver = false
  const pauses: number[] = []
  const writing = nodes.map(async node => {
    while (!isOver) {
      const askedAt = performance.now()
      await create(node, paths.get(first) ?? '')
      pauses.push(performance.now() - askedAt)
    }
  })
  const startedAt = performance.now()
  const { server } = await startJoining()
  const seconds = (performance.now() - startedAt) / 1000
  isOver = true
  await Promise.all(writing)
  const headings = ['', 'CPU', 'resident', 'others wrote', 'their p99', 'longest']
  const cells = [
    `${server.cpuSeconds().toFixed(1)} s`,
    `${Math.round(server.residentOctets() / 1e6)} MB`,
    `${pauses.length}`,
    ...[0.99, 1].map(share => `${quantile(pauses, share).toFixed()} ms`),
  ]
  const title = `joined ${count} recordsets in ${seconds.toFixed(1)} s`
  console.log(`${formatTable(headings, [[title, ...cells]])}\n`)
}

await main()
