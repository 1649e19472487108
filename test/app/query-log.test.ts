import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { queryFor } from '../helpers/ask.ts'
import { askOverUdp } from '../helpers/query-load.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { until } from '../helpers/until.ts'
import { startWholeServer } from '../helpers/whole-server.ts'

t.test('rules have queries written by zone and by client, and nothing else is', async t => {
  const path = join(t.testdir({}), 'queries.log')
  const environment = { ZONEWRIGHT_QUERY_LOG: path, ZONEWRIGHT_QUERY_LOG_SAMPLE: '0' }
  const server = await startWholeServer(t, { dataDirectory: serverFolder(t), environment })
  const { admin, app } = server
  const [dns] = app.dns
  if (dns === undefined) throw new Error('it listens')
  const ask = (name: string) => askOverUdp(dns, [queryFor(`${name} A`)])
  const zone = async (name: string) =>
    (await admin.post('/v2/zones', { name, email: 'ops@example.com' })).body.id
  const watched = await zone('watched.example.')
  await zone('other.example.')
  await ask('before.watched.example.')
  const rules = '/v2/query_log_rules'
  const { body: rule, status } = await admin.post(rules, {
    zone_id: watched.toUpperCase(),
    seconds: 600,
    description: 'why it is slow',
  })
  t.equal(status, 201)
  await ask('during.watched.example.')
  await ask('during.other.example.')
  t.match((await admin.get(rules)).body.query_log_rules, [
    { id: rule.id, zone_name: 'watched.example.', status: 'ACTIVE', ended_by: null },
  ])
  t.match(rule.started_by, { road: 'v2' })
  t.equal((await admin.delete(`${rules}/${rule.id}`)).status, 204)
  await ask('behind.watched.example.')
  t.match((await admin.get(`${rules}/${rule.id}`)).body, {
    status: 'OVER',
    ended_by: { road: 'v2' },
    description: 'why it is slow',
  })
  await admin.post(rules, { client: '127.0.0.0/8', seconds: 1 })
  await ask('nowhere.test.')
  await admin.post(rules, { client: '192.0.2.0/24', seconds: 1 })
  server.clock.advanceMillis(2000)
  const { body } = await admin.get(rules)
  t.strictSame(
    body.query_log_rules.map((one: { status: string }) => one.status),
    ['OVER', 'OVER', 'OVER'],
  )
  t.equal((await admin.post(rules, { client: 'x', seconds: 1 })).status, 400)
  t.equal((await admin.post(rules, { seconds: 604_801 })).status, 400)
  await app.close()
  const names = readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line).name)
  t.strictSame(names, ['during.watched.example.', 'nowhere.test.'])
})

t.test('queries that nobody takes are counted', async t => {
  const environment = { ZONEWRIGHT_DNSTAP: `unix:${join(t.testdir({}), 'nobody')}` }
  const server = await startWholeServer(t, { dataDirectory: serverFolder(t), environment })
  const [dns] = server.app.dns
  if (dns === undefined) throw new Error('it listens')
  await askOverUdp(dns, [queryFor('nowhere.test. A')])
  const lost = async () =>
    (await server.admin.get('/metrics')).text.match(/query_log_lost.* \d+$/gm)
  t.strictSame(await until(lost, lines => lines?.some(line => line.endsWith(' 1')) === true), [
    'query_log_lost_total{at="memory"} 0',
    'query_log_lost_total{at="lines"} 0',
    'query_log_lost_total{at="dnstap"} 1',
  ])
})

t.test('without a query log there are no rules for it', async t => {
  const server = await startWholeServer(t, { dataDirectory: serverFolder(t) })
  const { status, body } = await server.admin.post('/v2/query_log_rules', { seconds: 60 })
  t.equal(status, 400)
  t.match(body.message, /ZONEWRIGHT_QUERY_LOG/)
  t.notOk(existsSync('queries.log'))
})
