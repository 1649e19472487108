import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { keptPassword } from '../../../src/app/data-directory.ts'
import { opcodes, types } from '../../../src/dns/codes.ts'
import { flags } from '../../../src/dns/header.ts'
import { parseName } from '../../../src/dns/name.ts'
import { ratingTermId } from '../../../src/model/rating.ts'
import { ApiClient } from '../../helpers/api-client.ts'
import { type Appliance, adminToken } from '../../helpers/appliance.ts'
import { queryFor } from '../../helpers/ask.ts'
import { DatagramClient } from '../../helpers/datagram-client.ts'
import { depth } from '../../helpers/depth.ts'
import { follow } from '../../helpers/followed-events.ts'
import { newMember } from '../../helpers/members.ts'
import { openNodes } from '../../helpers/nodes.ts'
import { queryAddresses } from '../../helpers/query.ts'
import { honestScript, ScriptedMaster } from '../../helpers/scripted-master.ts'
import { until } from '../../helpers/until.ts'

// Three real nodes: a task that only one may do is done once, and what holds at one holds at all.

const names = ['zw1', 'zw2', 'zw3']
const delivered = new Map<string, number>()
const deliveredNames: string[] = []
const receiver = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const id = String(request.headers['x-zonewright-delivery'])
  delivered.set(id, 1 + (delivered.get(id) ?? 0))
  deliveredNames.push(JSON.parse(Buffer.concat(chunks).toString()).payload?.name)
  response.end()
})
receiver.listen(0, '127.0.0.1')
await once(receiver, 'listening')
t.teardown(() => receiver.close())
const { port } = receiver.address() as AddressInfo

const cluster = await openNodes(t)
const environment = {
  ZONEWRIGHT_ADMIN_PASSWORD: '',
  ZONEWRIGHT_WEBHOOK_URLS: `http://127.0.0.1:${port}/`,
}
const nodes = await Promise.all(names.map(name => cluster.start(name, environment)))
const [first, second, third] = nodes as [Appliance, Appliance, Appliance]
const clientOf = (node: Appliance, token = adminToken) =>
  new ApiClient(node.apiUrl, { 'x-auth-token': token })

type NodeView = { readonly name: string; readonly has_duty: boolean; readonly lsn: number }
const nodesAt = async (node: Appliance) =>
  (await node.json<{ nodes: readonly NodeView[] }>('GET', '/v2/nodes')).nodes
const holderAt = async (node: Appliance) =>
  (await nodesAt(node)).find(({ has_duty }) => has_duty)?.name

/** How often the duty was taken: on a busy machine it may move at any time, and work under way may then be
 *  repeated. */
const epoch = async () => Number(await cluster.postgres.psql('select epoch from zw_duty'))

async function createZone(node: Appliance, name: string): Promise<string> {
  const body = { name, email: 'ops@example.net' }
  return (await node.json<{ id: string }>('POST', '/v2/zones', body)).id
}

t.test('of three that start for the first time at once, one makes key and password', async t => {
  const rows = (collection: string) =>
    cluster.postgres.psql(
      `select count(*) from zw_row where collection = '${collection}' and id <> '${ratingTermId}'`,
    )
  t.equal(await rows('users'), '1')
  t.equal(await rows('secrets'), '1')
  t.equal(await rows('pools'), '1')
  const passwords = names.flatMap(name => keptPassword(cluster.directoryOf(name)) ?? [])
  t.equal(passwords.length, 1)
  const [password = ''] = passwords
  for (const node of nodes) {
    const user = { name: 'admin', domain: { id: 'default' }, password }
    const auth = { identity: { methods: ['password'], password: { user } } }
    const login = await new ApiClient(node.apiUrl).post('/identity/v3/auth/tokens', { auth })
    t.equal(login.status, 201)
    const token = login.headers.get('x-subject-token') ?? ''
    for (const other of nodes) t.equal((await clientOf(other, token).get('/v2/zones')).status, 200)
  }
})

t.test('the nodes show each other, and one of them has the duty', async t => {
  const shown = await until(
    () => nodesAt(second),
    found => found.length === 3 && found.some(({ has_duty }) => has_duty),
  )
  t.strictSame(
    shown.map(({ name }) => name),
    names,
  )
  t.equal(shown.filter(({ has_duty }) => has_duty).length, 1)
  t.equal((await second.request('DELETE', '/v2/nodes/zw1')).status, 409)
  t.equal((await second.request('DELETE', '/v2/nodes/zw9')).status, 404)
})

const readCount = depth > 1 ? 2000 : 200

t.test('what is written at one node is read at another at once, a revoked token too', async t => {
  const zoneId = await createZone(first, 'read.example.')
  const path = `/v2/zones/${zoneId}`
  let missed = 0
  for (let i = 0; i < readCount; i += 1) {
    const [writer, reader] = [nodes[i % 3], nodes[(i + 1) % 3]] as [Appliance, Appliance]
    const description = `version ${i}`
    await writer.json('PATCH', path, { description })
    // On a busy machine an answer may be old, and says so.
    const { body } = await until(
      () => clientOf(reader).get(path),
      ({ headers }) => !headers.has('zonewright-stale'),
    )
    missed += Number(body.description !== description)
  }
  t.equal(missed, 0)
  const member = await newMember(first, 'revoked')
  const [here, there] = [clientOf(second, member.token), clientOf(third, member.token)]
  t.equal((await there.get('/v2/zones')).status, 200)
  const subject = { 'x-subject-token': member.token }
  t.equal((await here.with(subject).delete('/identity/v3/auth/tokens')).status, 204)
  t.equal((await there.get('/v2/zones')).status, 401)
})

t.test('a name that is created at all nodes at once is created once; a quota is exact', async t => {
  const { projectId, token } = await newMember(first, 'names')
  const clients = nodes.map(node => clientOf(node, token))
  await first.json('PATCH', `/v2/quotas/${projectId}`, { zone_recordsets: 1050, zone_records: -1 })
  const [one] = clients as [ApiClient]
  const zone = (await one.post('/v2/zones', { name: 'names.example.', email: 'a@example.net' }))
    .body
  const path = `/v2/zones/${zone.id}/recordsets`
  const create = (client: ApiClient, name: string) =>
    client.post(path, { name: `${name}.names.example.`, type: 'A', records: ['192.0.2.1'] })
  let wrong = 0
  const contend = async (from: number) => {
    for (let i = from; i < 1000; i += 8) {
      const answers = await Promise.all(clients.map(client => create(client, `n${i}`)))
      const statuses = answers.map(({ status }) => status).sort()
      wrong += Number(statuses.join() !== '201,409,409')
    }
  }
  await Promise.all(Array.from({ length: 8 }, (_, from) => contend(from)))
  t.equal(wrong, 0)
  const counts = await Promise.all(clients.map(client => client.get(`${path}?limit=1`)))
  const [count] = counts.map(({ body }) => body.metadata.total_count as number)
  const crowd = Array.from({ length: 90 }, (_, i) => create(clients[i % 3] as ApiClient, `q${i}`))
  const taken = (await Promise.all(crowd)).filter(({ status }) => status === 201).length
  t.equal(taken + (count ?? 0), 1050)
  for (const client of clients)
    t.equal((await client.get(`${path}?limit=1`)).body.metadata.total_count, 1050)
})

t.test('a secondary zone is fetched once, whichever node is notified', async t => {
  const apex = parseName('second.example.')
  const text = (serial: number) => `
    @ 300 SOA ns host ${serial} 3600 600 86400 60
    @ 300 NS ns
    ns 300 A 192.0.2.1
    www 60 A 192.0.2.${serial}`
  let script = honestScript(apex, text(7))
  const master = await ScriptedMaster.start(t, turn => script(turn))
  const { address } = master
  const before = await epoch()
  const holder = await holderAt(first)
  const idle = nodes[(names.indexOf(holder ?? '') + 1) % 3] as Appliance
  const masters = [`${address.host}:${address.port}`]
  const { id } = await idle.json<{ id: string }>('POST', '/v2/zones', {
    name: 'second.example.',
    type: 'SECONDARY',
    masters,
  })
  const answeredByAll = async (value: string) => {
    for (const node of nodes)
      await until(
        () => queryAddresses(node.endpoint(), 'www.second.example.'),
        found => found.join() === value,
      )
  }
  await answeredByAll('192.0.2.7')
  const transfers = () => master.asked.filter(type => type !== types.SOA).length
  const isOnceEach = async (count: number) => transfers() - count <= (await epoch()) - before
  t.ok(await isOnceEach(1))
  script = honestScript(apex, text(8))
  const client = await DatagramClient.connect(idle.endpoint())
  t.teardown(() => client.close())
  const notify = queryFor('second.example. SOA', {
    opcode: opcodes.notify,
    flags: flags.authoritative,
  })
  let sentAt = 0
  await until(async () => {
    // Messages passed on while no node had the duty are lost.
    const now = await epoch()
    if (now !== sentAt) await client.ask(notify)
    sentAt = now
    return (await queryAddresses(idle.endpoint(), 'www.second.example.')).join() === '192.0.2.8'
  })
  await answeredByAll('192.0.2.8')
  t.ok(await isOnceEach(2))
  await first.request('DELETE', `/v2/zones/${id}`)
})

t.test('prices are tried out at any node, where usage is', async t => {
  const body = { month: new Date().toISOString().slice(0, 7), rules: [] }
  for (const node of nodes) {
    const preview = await until(
      () => clientOf(node).post('/v2/prices/preview', body),
      ({ status }) => status !== 503,
    )
    t.match(preview, { status: 200, body: { preview: /^0/ } })
  }
})

t.test('events go on at another node, each once', async t => {
  const { token } = await newMember(first, 'events')
  const create = (node: Appliance, name: string) =>
    clientOf(node, token).post('/v2/zones', { name, email: 'a@example.net' })
  await create(first, 'one.events.example.')
  const before = await follow(first, { token, lastId: '0', until: 'one.events.example.' })
  await create(second, 'two.events.example.')
  await create(third, 'three.events.example.')
  const { lastId } = before
  const after = await follow(third, { token, lastId: lastId ?? '', until: 'three.events.example.' })
  t.strictSame(
    [...before.told, ...after.told].map(({ name }) => name),
    ['one', 'two', 'three'].map(name => `${name}.events.example.`),
  )
})

t.test('a webhook gets each event once, from whichever node', async t => {
  const before = await epoch()
  delivered.clear()
  const wanted = names.map(name => `${name}.hooks.example.`)
  for (const [i, node] of nodes.entries()) await createZone(node, wanted[i] ?? '')
  await until(() => wanted.every(name => deliveredNames.includes(name)))
  const again = [...delivered].filter(([, count]) => count > 1)
  t.ok(again.length === 0 || (await epoch()) > before)
})

t.test('with PostgreSQL silent, what is read may be old and says so; DNS goes on', async t => {
  cluster.postgres.freeze()
  try {
    const answer = await until(
      () => third.request('GET', '/v2/zones'),
      ({ headers }) => headers.has('zonewright-stale'),
    )
    t.equal(answer.status, 200)
    t.not((await queryAddresses(third.endpoint(), 'n1.names.example.')).length, 0)
    await until(async () => (await third.request('GET', '/readyz')).status === 503)
  } finally {
    cluster.postgres.thaw()
  }
  await until(async () => (await third.request('GET', '/readyz')).status === 200)
  await until(
    async () => !(await third.request('GET', '/v2/zones')).headers.has('zonewright-stale'),
  )
  for (const node of nodes)
    await until(async () => {
      const ready = await node.request('GET', '/readyz')
      return (await ready.text()) === '{"status":"ready","read_only":false}'
    })
})

t.test('when the node with the duty is killed another takes it, and misses nothing', async t => {
  const holder = await until(() => holderAt(first))
  const index = names.indexOf(holder ?? '')
  const killed = nodes[index] as Appliance
  const left = nodes.filter(node => node !== killed)
  const wanted = ['a', 'b', 'c', 'd'].map(name => `${name}.left.example.`)
  for (const name of wanted.slice(0, 2)) await createZone(left[0] as Appliance, name)
  await killed.kill()
  for (const name of wanted.slice(2)) await createZone(left[1] as Appliance, name)
  await until(
    () => holderAt(left[0] as Appliance),
    found => found !== undefined && found !== holder,
  )
  await until(() => wanted.every(name => deliveredNames.includes(name)))
  t.ok(existsSync(join(cluster.directoryOf(holder ?? ''), 'copy.json')))
  nodes[index] = await cluster.start(holder ?? '', environment)
  for (const name of wanted) {
    const listed = await clientOf(nodes[index] as Appliance).get(`/v2/zones?name=${name}`)
    t.equal(listed.body.zones.length, 1)
  }
})
