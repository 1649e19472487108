import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { serverFolder } from '../helpers/server-folder.ts'
import { until } from '../helpers/until.ts'
import { startWholeServer, type WholeServer } from '../helpers/whole-server.ts'

// The events that projects have posted to their own addresses, from the request that sets this up to the receiver.

type Received = { readonly request: IncomingMessage; readonly body: string }

/** A receiver that accepts posts, or answers otherwise. */
async function receiver(t: Test) {
  const received: Received[] = []
  const answers = { status: 204 }
  const server = createServer(async (request, response) => {
    received.push({ request, body: await text(request) })
    response.writeHead(answers.status).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const names = () =>
    received.map(({ body }) => {
      const { event_type, payload } = JSON.parse(body)
      return `${event_type} ${payload.name}`
    })
  const untilReceived = (count: number) =>
    until(
      async () => names(),
      all => all.length >= count,
    )
  return { url: `http://127.0.0.1:${port}/hook`, received, answers, untilReceived }
}

const environment = { ZONEWRIGHT_OUTBOUND_NETWORKS: '127.0.0.0/8' }

async function accountOf(server: WholeServer, name: string) {
  const projectId = await server.makeProject(name)
  return server.makeAccount({ name: `${name}-user`, projectId, role: 'member' })
}

async function memberOf(server: WholeServer, name: string) {
  return server.bearer(await server.login(await accountOf(server, name)))
}

const zoneNamed = (name: string) => ({ name, email: 'ops@example.net' })

t.test('a project has its events posted, signed, and nobody else’s', async t => {
  const server = await startWholeServer(t, { dataDirectory: serverFolder(t), environment })
  const [one, two] = [await memberOf(server, 'one'), await memberOf(server, 'two')]
  const here = await receiver(t)
  await one.post('/v2/zones', zoneNamed('before.example.'))
  const made = await one.post('/v2/webhooks', { url: here.url, event_types: ['dns.zone.'] })
  t.equal(made.status, 201)
  const { id, secret } = made.body
  await two.post('/v2/zones', zoneNamed('others.example.'))
  const { body: zone } = await one.post('/v2/zones', zoneNamed('mine.example.'))
  const recordset = { name: 'www', type: 'A', records: ['192.0.2.1'] }
  await one.post(`/v2/zones/${zone.id}/recordsets`, recordset)
  await one.delete(`/v2/zones/${zone.id}`)
  t.same(
    (await here.untilReceived(3)).map(name => name.replace(/update.*/, 'update')),
    ['dns.zone.create mine.example.', 'dns.zone.update', 'dns.zone.delete mine.example.'],
  )
  for (const { request, body } of here.received) {
    const expected = createHmac('sha256', secret).update(body).digest('hex')
    t.equal(request.headers['x-zonewright-signature'], `sha256=${expected}`)
  }

  const shown = await one.get(`/v2/webhooks/${id}`)
  t.match(shown.body, { id, url: here.url, event_types: ['dns.zone.'] })
  t.notMatch(shown.text, secret)
  const listed = async () => (await one.get(`/v2/webhooks/${id}/deliveries`)).body.deliveries
  const deliveries = await until(listed, all => all.length === 3)
  t.match(deliveries[0], { event_type: 'dns.zone.delete', status: 'DELIVERED', attempts: 1 })
  const again = await one.post(`/v2/webhooks/${id}/deliveries/${deliveries[2].id}`)
  t.match(again, { status: 200, body: { id: deliveries[2].id, status: 'DELIVERED' } })
  t.equal((await here.untilReceived(4)).at(-1), 'dns.zone.create mine.example.')
  t.equal((await one.post(`/v2/webhooks/${id}/deliveries/1-0`)).status, 404, 'of another project')

  for (const path of ['', '/deliveries'])
    t.equal((await two.get(`/v2/webhooks/${id}${path}`)).status, 404)
  t.equal((await two.delete(`/v2/webhooks/${id}`)).status, 404)
  t.same((await two.get('/v2/webhooks')).body, { webhooks: [] })
  t.equal((await one.delete(`/v2/webhooks/${id}`)).status, 204)
  await one.post('/v2/zones', zoneNamed('after.example.'))
  t.same((await one.get('/v2/webhooks')).body, { webhooks: [] })
  t.equal(here.received.length, 4)
})

t.test('what was not sent before a restart is sent after it, once', async t => {
  const dataDirectory = serverFolder(t)
  const first = await startWholeServer(t, { dataDirectory, environment })
  const account = await accountOf(first, 'one')
  const one = first.bearer(await first.login(account))
  const here = await receiver(t)
  here.answers.status = 503
  const { body } = await one.post('/v2/webhooks', { url: here.url })
  await one.post('/v2/zones', zoneNamed('a.example.'))
  await here.untilReceived(1)
  const listed = async (client: typeof one) =>
    (await client.get(`/v2/webhooks/${body.id}/deliveries`)).body.deliveries
  const [failing] = await until(
    () => listed(one),
    all => all.length === 1,
  )
  t.match(failing, { status: 'FAILING', reason: 'it answered 503' })
  await first.app.close()
  here.answers.status = 200
  here.received.length = 0
  const second = await startWholeServer(t, { dataDirectory, environment })
  t.same(await here.untilReceived(1), ['dns.zone.create a.example.'])
  // The server has its answer as well.
  const again = second.bearer(await second.login(account))
  await until(
    () => listed(again),
    ([delivery]) => delivery?.status === 'DELIVERED',
  )
  await second.app.close()
  const third = await startWholeServer(t, { dataDirectory, environment })
  await third.app.close()
  t.equal(here.received.length, 1)
})

t.test('addresses that are not public, and one webhook too many, are refused', async t => {
  const server = await startWholeServer(t, { dataDirectory: serverFolder(t) })
  const one = await memberOf(server, 'one')
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '169.254.169.254', '10.0.0.1', '0x7f.1']) {
    const { status, text } = await one.post('/v2/webhooks', { url: `http://${host}:8080/` })
    t.equal(status, 400, text)
  }
  t.equal((await one.post('/v2/webhooks', { url: 'http://a:b@example.com/' })).status, 400)
  t.equal((await one.post('/v2/webhooks', { url: 'ftp://example.com/' })).status, 400)
  const url = 'https://hooks.example.com/'
  for (let i = 0; i < 10; i += 1) t.equal((await one.post('/v2/webhooks', { url })).status, 201)
  t.match(await one.post('/v2/webhooks', { url }), { status: 413, body: { type: 'over_quota' } })
  const [{ id }] = (await one.get('/v2/webhooks')).body.webhooks
  t.equal((await one.patch(`/v2/webhooks/${id}`, { url: 'http://127.0.0.1/' })).status, 400)
  const changes = { description: 'alerts', event_types: ['rating.'] }
  t.match(await one.patch(`/v2/webhooks/${id}`, changes), {
    status: 200,
    body: { url, ...changes },
  })
})
