import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { Writable } from 'node:stream'
import t from 'tap'
import type { Route } from '../../src/api/route.ts'
import { createLogger } from '../../src/log.ts'
import type { ApiClient } from '../helpers/api-client.ts'
import { depth } from '../helpers/depth.ts'
import { Dice } from '../helpers/dice.ts'
import { damagedText, oddParameter, sampleOf } from '../helpers/schema-bodies.ts'
import { startWholeServer } from '../helpers/whole-server.ts'

// Every route gets bodies made from its schema with some part exchanged, odd queries and odd ids: whatever is wrong
// with a request, its sender is told so, and nothing ends in 500. One seed, one sequence of requests.
//
// TEST_DEPTH=200 FUZZ_SEED=7 npm test -- hostile/every-route   goes on for longer, another way

const roundCount = depth
const seed = Number(process.env.FUZZ_SEED ?? 20261122)

/** Names that some route looks for in its query. */
const queryNames = [
  'limit',
  'marker',
  'offset',
  'sort_key',
  'sort_dir',
  'name',
  'type',
  'status',
  'ttl',
  'data',
  'description',
  'zone_id',
  'pool_id',
  'domain_id',
  'enabled',
  'user.id',
  'begin',
  'end',
  'filters',
  'groupby',
  'tenant_id',
  'all_tenants',
  'all_projects',
  'response_format',
  'custom_fields',
  'format',
  'since',
  'types',
  'order',
  'service',
  'service_id',
  'field_id',
  'currency',
  'forecast',
  'dry_run',
  'replace',
  'origin',
]

/** Keys of bodies whose schema leaves them open; their routes refuse the first that they do not know. */
const freeNames = [
  ...queryNames,
  ...[
    'group_id',
    'level',
    'cost',
    'value',
    'resources',
    'start',
    'reason',
    'scope_ids',
    'scope_id',
  ],
  ...['state', 'priority', 'dataframes', 'usage', 'period', 'amount', 'thresholds', 'active'],
  ...['collector', 'fetcher', 'scope_key', 'script_id', 'mapping_id', 'threshold_id', 'all_scopes'],
]

const agent = new Agent({ keepAlive: true })

type Target = { readonly base: string; readonly route: Route }
type Ids = Map<string, string[]>

t.test(`no request to any route ends in 500 (seed ${seed}, ${roundCount} rounds)`, async t => {
  const failures: string[] = []
  t.teardown(() => agent.destroy())
  const stream = new Writable({
    write(line, _encoding, done) {
      if (String(line).includes('"request failed"')) failures.push(String(line))
      done()
    },
  })
  const logger = createLogger({ level: 'error', stream })
  const { app, admin } = await startWholeServer(t, { dataDirectory: t.testdir(), logger })
  const targets = app.mounts.flatMap(({ base, routes }) => routes.map(route => ({ base, route })))
  const dice = new Dice(seed)
  const ids: Ids = new Map()
  await makeSomething(admin, ids)
  let requestCount = 0
  const statuses = new Map<number, number>()
  for (let round = 0; round < roundCount; round++) {
    for (const target of targets) {
      const fuzzed = requestFor(target, dice, ids)
      const status = await send(admin, fuzzed, ids)
      requestCount += 1
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      for (const line of failures.splice(0))
        t.fail(`${fuzzed.method} ${fuzzed.path} ${fuzzed.body?.slice(0, 500)}\n${line}`)
    }
  }
  t.equal(requestCount, targets.length * roundCount)
  t.ok((statuses.get(200) ?? 0) > requestCount / 50, 'some of them are served')
  t.ok((statuses.get(400) ?? 0) > requestCount / 10, 'and many refused')
  t.comment(JSON.stringify(Object.fromEntries([...statuses].sort())))
})

type FuzzedRequest = {
  readonly method: string
  readonly path: string
  readonly body: string | undefined
}

function requestFor({ base, route }: Target, dice: Dice, ids: Ids): FuzzedRequest {
  const path = route.path.replaceAll(/([^/:]+)\/:([a-z0-9_]+)/gi, (_all, collection: string) => {
    const known = ids.get(collection) ?? []
    const isOdd = known.length === 0 || dice.below(6) === 0
    const value = isOdd ? oddParameter(dice) : dice.pick(known)
    return `${collection}/${encodeURIComponent(value.toWellFormed().slice(0, 300)) || '-'}`
  })
  const query = new URLSearchParams()
  for (let i = dice.below(4); i > 0; i--) query.append(dice.pick(queryNames), oddParameter(dice))
  const { method } = route
  return { method, path: `${base}${path}?${query}`, body: bodyFor(route, dice, ids) }
}

function bodyFor({ bodySchema }: Route, dice: Dice, ids: Ids): string | undefined {
  if (bodySchema === undefined) return undefined
  const everyId = [...ids.values()].flat()
  const { properties = {} } = bodySchema as { readonly properties?: object }
  if (Object.keys(properties).length > 0) {
    const sample = sampleOf(bodySchema, { dice, ids: everyId })
    return dice.below(5) === 0 ? JSON.stringify(sample) : damagedText(sample, dice)
  }
  const names = Array.from({ length: 1 + dice.below(2) }, () => dice.pick(freeNames))
  const sample = names.map(name => [name, sampleOf({}, { dice, ids: everyId, key: name })])
  return damagedText(Object.fromEntries(sample), dice)
}

/** Sends a request, remembers the ids in its answer, and does not wait for answers without end. Not by fetch, which
 *  sends no body with GET. */
async function send(client: ApiClient, { method, path, body }: FuzzedRequest, ids: Ids) {
  const headers = {
    ...client.headers,
    ...(body !== undefined && { 'content-type': 'application/json' }),
  }
  const sent = request(client.url + path, { method, headers, agent })
  sent.end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const isJson = response.headers['content-type']?.startsWith('application/json') === true
  if (isJson) {
    const text = (await response.toArray()).join('')
    if (text !== '') keepIds(path, JSON.parse(text), ids)
  } else response.destroy()
  return response.statusCode ?? 0
}

function keepIds(path: string, body: unknown, ids: Ids): void {
  const collection =
    path
      .split('?')[0]
      ?.split('/')
      .findLast(part => /^[a-z_]+$/.test(part)) ?? ''
  const keep = (name: string, row: unknown) => {
    if (typeof row !== 'object' || row === null || !('id' in row)) return
    const known = ids.get(name) ?? []
    if (known.length < 20) ids.set(name, [...known, String(row.id)])
  }
  keep(collection, body)
  if (typeof body !== 'object' || body === null) return
  for (const [name, value] of Object.entries(body)) {
    if (Array.isArray(value)) for (const row of value) keep(name, row)
    else keep(`${name}s`, value)
  }
}

/** Something of the kinds that most routes are about. */
async function makeSomething(admin: ApiClient, ids: Ids): Promise<void> {
  const make = async (path: string, body: object) => {
    const answer = await admin.post(path, body)
    keepIds(path, answer.body, ids)
    return answer.body
  }
  const zone = await make('/v2/zones', { name: 'example.com.', email: 'ops@example.com' })
  await make('/v2/zones', { name: 'example.net.', email: 'ops@example.com' })
  const record = { name: 'www.example.com.', type: 'A', records: ['192.0.2.1'] }
  await make(`/v2/zones/${zone.id}/recordsets`, record)
  await make('/v2/blacklists', { pattern: '^bad\\.' })
  await make('/v2/tsigkeys', {
    name: 'key',
    algorithm: 'hmac-sha256',
    secret: 'c2VjcmV0',
    scope: 'ZONE',
    resource_id: zone.id,
  })
  await make(`/v2/zones/${zone.id}/tasks/export`, {})
  await make('/identity/v3/projects', { project: { name: 'fuzz' } })
  await make('/identity/v3/users', { user: { name: 'fuzz', password: 'long enough to be taken' } })
  for (const path of [
    '/v2/pools',
    '/identity/v3/roles',
    '/identity/v3/domains',
    '/v2/service_statuses',
  ])
    keepIds(path, (await admin.get(path)).body, ids)
}
