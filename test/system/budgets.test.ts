import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { Appliance } from '../helpers/appliance.ts'
import { serverFolder } from '../helpers/server-folder.ts'

type Told = { readonly event_type: string; readonly payload: Readonly<Record<string, unknown>> }

/** A receiver of webhooks, which exposes the rating events that it receives. A repeated event, possible after a crash,
 *  has the same id. */
async function startReceiver(t: Test) {
  const known = new Set<unknown>()
  const waiting: Told[] = []
  let isDown = false
  let wake: () => void = () => undefined
  const server = createServer(async (request, response) => {
    const told: Told = JSON.parse(await text(request))
    const isNew = !isDown && !known.has(request.headers['x-zonewright-delivery'])
    if (isNew && told.event_type.startsWith('rating.')) waiting.push(told)
    if (!isDown) known.add(request.headers['x-zonewright-delivery'])
    response.writeHead(isDown ? 503 : 204).end()
    wake()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const request = () => new Promise<void>(resolve => (wake = resolve))
  return {
    url: `http://127.0.0.1:${port}/`,
    /** Resolves when the next event has arrived, and was refused if the receiver is down. */
    request,
    setDown(down: boolean) {
      isDown = down
    },
    async next(): Promise<Told> {
      while (waiting.length === 0) await request()
      return waiting.shift() as Told
    },
  }
}

/** A frame of the current month, of a project. */
function frameCosting(projectId: string, price: string) {
  const day = new Date().toISOString().slice(0, 10)
  const entry = {
    vol: { unit: 'Mquery', qty: 1 },
    rating: { price },
    groupby: { project_id: projectId, id: 'z1' },
    metadata: { zone_name: 'example.org.' },
  }
  const period = { begin: `${day}T00:00:00Z`, end: `${day}T01:00:00Z` }
  return { dataframes: [{ period, usage: { 'dns.queries': [entry] } }] }
}

t.test(
  'a threshold is reported by webhook once, also when process and receiver go down',
  async t => {
    const receiver = await startReceiver(t)
    const options = {
      dataDirectory: serverFolder(t),
      environment: { ZONEWRIGHT_WEBHOOK_URLS: receiver.url },
    }
    const first = await Appliance.start(options)
    t.teardown(() => first.kill())
    const budget = { amount: '10', thresholds: [30, 60, 100] }
    const made = await first.json<{ id: string; project_id: string }>('POST', '/v2/budgets', budget)
    t.match(await receiver.next(), { event_type: 'rating.budget.create', payload: budget })
    await first.json('POST', '/v2/dataframes', frameCosting(made.project_id, '3'))
    t.match(await receiver.next(), {
      event_type: 'rating.budget.threshold',
      payload: { budget_id: made.id, threshold: 30, amount: '10', cost: '3' },
    })
    receiver.setDown(true)
    const refused = receiver.request()
    await first.json('POST', '/v2/dataframes', frameCosting(made.project_id, '3'))
    await refused
    await first.kill()
    receiver.setDown(false)

    const second = await Appliance.start(options)
    t.teardown(() => second.kill())
    t.match(await receiver.next(), { payload: { threshold: 60, cost: '6' } })
    await second.json('POST', '/v2/dataframes', frameCosting(made.project_id, '4'))
    t.match(await receiver.next(), { payload: { threshold: 100, cost: '10' } })
    const { crossed_thresholds: crossed, top_zones: zones } = await second.json<{
      crossed_thresholds: readonly { threshold: number }[]
      top_zones: readonly object[]
    }>('GET', `/v2/budgets/${made.id}`)
    t.same(
      crossed.map(({ threshold }) => threshold),
      [30, 60, 100],
    )
    t.same(zones, [{ id: 'z1', name: 'example.org.', cost: '10.00' }])
    t.equal(await second.stop(), 0)
  },
)
