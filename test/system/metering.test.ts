import t from 'tap'
import { rcodes } from '../../src/dns/codes.ts'
import {
  add,
  compare,
  formatDecimal,
  getDecimal,
  multiply,
  zero,
} from '../../src/rating/decimal.ts'
import { queryFor } from '../helpers/ask.ts'
import { depth } from '../helpers/depth.ts'
import {
  exported,
  hour,
  openMetered,
  projects,
  queryCounts,
  rate,
  type Summary,
  summary,
  type Zone,
} from '../helpers/metered-server.ts'
import { askOverTcp, askOverUdp } from '../helpers/query-load.ts'

// From a query on a socket to its price, in the whole process, with a clock that the test turns.

const total = 20_000 * depth

t.test('thousands of queries are rated to the last one, at the price there is', async t => {
  const run = await openMetered(t)
  const { server } = run
  await server.call('PUT', '/v2/prices/default')
  const zones = [
    await run.zone('a.example.', projects[0]),
    await run.zone('b.example.', projects[0]),
    await run.zone('c.example.', projects[1]),
  ]
  const expected = new Map<string, number>()
  const octets = new Map<string, number>()
  const sent: {
    readonly zone: Zone
    readonly transport: 'udp' | 'tcp'
    readonly query: Uint8Array
  }[] = []
  for (let i = 0; i < total; i += 1) {
    const zone = zones[i % 3]!
    const isMissing = i % 7 < 2
    const transport = i % 5 === 0 ? 'tcp' : 'udp'
    const name = isMissing ? `missing-${i}.${zone.name}` : zone.name
    sent.push({ zone, transport, query: queryFor(`${name} ${isMissing ? 'A' : 'SOA'}`) })
    const rcode = isMissing ? 'NXDOMAIN' : 'NOERROR'
    const key = `${zone.id} ${rcode} ${transport} ${zone.project_id}`
    expected.set(key, (expected.get(key) ?? 0) + 1)
  }
  for (const zone of zones) {
    for (const transport of ['udp', 'tcp'] as const) {
      const queries = sent.filter(each => each.zone === zone && each.transport === transport)
      const ask = transport === 'udp' ? askOverUdp : askOverTcp
      const answered = await ask(
        server.dns,
        queries.map(({ query }) => query),
      )
      octets.set(`${zone.id} ${transport}`, answered.octets)
      t.same([...answered.rcodes.keys()].sort(), [rcodes.noError, rcodes.nxDomain])
    }
  }
  // Queries outside our zones are charged to no project.
  await askOverUdp(server.dns, [queryFor('www.elsewhere.test. A')])
  await rate(server)

  const groupby = ['id', 'rcode', 'transport', 'project_id']
  t.same(await queryCounts(server, groupby), Object.fromEntries(expected))
  const all = Object.values(await queryCounts(server, ['type']))
  t.same(all, [total])
  const bytes = await summary(server, ['id', 'transport'], 'dns.bytes')
  t.same(
    Object.fromEntries(bytes.map(({ key, qty }) => [key, Math.round(qty * 1e6)])),
    Object.fromEntries(octets),
  )

  // By hand: 0.4 for a million NOERROR, and 0.000684931506849 for each zone-hour; three zones, two hours rated.
  const noError = [...expected].filter(([key]) => key.includes('NOERROR'))
  const count = noError.reduce((sum, [, each]) => sum + each, 0)
  const byHand = add(
    multiply(getDecimal(String(count)), getDecimal('0.0000004')),
    multiply(getDecimal('6'), getDecimal('0.000684931506849')),
  )
  const lines = (await exported(server)).trim().split('\n')
  const priceOf = (line: string) => getDecimal(/"price":"?([-\d.eE]+)/.exec(line)?.[1] ?? '')
  const price = lines.map(priceOf).reduce(add, zero)
  t.equal(compare(price, byHand), 0, `${formatDecimal(price)} is ${formatDecimal(byHand)}`)

  await t.test('rated again, twice, it is the same to the octet', async t => {
    const before = await exported(server)
    const times = {
      start_reprocess_time: '2026-10-05T10:00:00',
      end_reprocess_time: '2026-10-05T11:00:00',
    }
    for (const reason of ['once', 'twice']) {
      const body = { scope_ids: ['ALL'], reason, ...times }
      await server.call('POST', '/rating/v2/task/reprocesses', { body })
      await server.run('rate-usage')
      t.equal(await exported(server), before)
    }
    const reset = { all_scopes: true, state: '2026-10-05T10:00:00' }
    await server.call('PUT', '/v2/scope', { body: reset })
    await server.run('rate-usage')
    t.equal(await exported(server), before, 'and after a reset')
  })
})

t.test(
  'kill -9 loses what came since the last flush at most, and counts nothing twice',
  async t => {
    const run = await openMetered(t)
    const zone = await run.zone('kill.example.', projects[0])
    const query = queryFor(`${zone.name} SOA`)
    let flushed = 0
    let answered = 0
    for (let round = 0; round < 4; round += 1) {
      await askOverUdp(run.server.dns, new Array(300).fill(query))
      await askOverTcp(run.server.dns, new Array(200).fill(query))
      answered += 500
      await run.server.run('flush-usage')
      flushed = answered
      await askOverUdp(run.server.dns, new Array(50).fill(query))
      answered += 50
      await run.server.kill()
      await run.restart()
      t.comment(`round ${round}: ${flushed} of ${answered} flushed`)
    }
    await rate(run.server)
    const [count = 0] = Object.values(await queryCounts(run.server, ['id']))
    // Four kills, each after 50 answers since a flush; the job flushes by itself now and then.
    t.ok(count >= answered - 200 && count <= answered, `${count} of ${answered}`)
    const [hours] = await summary(run.server, ['id'], 'dns.zone')
    t.equal(hours?.qty, 2, 'and no time of the zone is lost or added')
  },
)

t.test('a zone that changes hands within the hour is split at that instant', async t => {
  const run = await openMetered(t)
  const { server } = run
  const [from, to] = projects
  const zone = await run.zone('moved.example.', from)
  const query = queryFor(`${zone.name} SOA`)
  await askOverUdp(server.dns, new Array(100).fill(query))
  await askOverTcp(server.dns, new Array(11).fill(query))
  await server.advance(hour / 4)
  const path = `/v2/zones/${zone.id}/tasks/transfer_requests`
  type Offer = { readonly id: string; readonly key: string }
  const offer = await server.call<Offer>('POST', path, { body: {}, projectId: from })
  const body = { zone_transfer_request_id: offer.id, key: offer.key }
  await server.call('POST', '/v2/zones/tasks/transfer_accepts', { body, projectId: to })
  await askOverUdp(server.dns, new Array(50).fill(query))
  await server.advance((3 * hour) / 4)
  await rate(server)
  t.same(await queryCounts(server, ['project_id']), { [from]: 111, [to]: 50 })
  const ofHour = 'filters=type:dns.zone&begin=2026-10-05T10:00:00&end=2026-10-05T11:00:00'
  const { results } = await server.call<Summary>('GET', `/v2/summary?${ofHour}&groupby=project_id`)
  t.same(
    results.map(row => [row[4], row[2]]),
    [
      [from, 0.25],
      [to, 0.75],
    ],
  )
})

t.test('a zone that is deleted and made again is two, each with its own queries', async t => {
  const run = await openMetered(t)
  const { server } = run
  const query = queryFor('again.example. SOA')
  const first = await run.zone('again.example.', projects[0])
  await askOverUdp(server.dns, new Array(100).fill(query))
  await server.advance(hour / 2)
  await server.call('DELETE', `/v2/zones/${first.id}`, { projectId: projects[0] })
  await askOverUdp(server.dns, new Array(5).fill(query))
  const second = await run.zone('again.example.', projects[1])
  await askOverUdp(server.dns, new Array(60).fill(query))
  await askOverTcp(server.dns, new Array(7).fill(query))
  await server.advance(hour / 2)
  await rate(server)
  t.same(await queryCounts(server, ['id']), { [first.id]: 100, [second.id]: 67 })
  const hours = await summary(server, ['id'], 'dns.zone')
  const byId = Object.fromEntries(hours.map(({ key, qty }) => [key, qty]))
  t.same(byId, { [first.id]: 0.5, [second.id]: 2.5 })
})

t.test(
  'an invoice has what is rated with its price, and the hour that goes on without one',
  async t => {
    const run = await openMetered(t)
    const { server } = run
    await server.call('PUT', '/v2/prices/default')
    const zone = await run.zone('a.example.', projects[0])
    const queries = (count: number) =>
      askOverUdp(
        server.dns,
        Array.from({ length: count }, () => queryFor('a.example. SOA')),
      )
    await queries(1000)
    await rate(server)
    await queries(500)
    await server.advance(hour / 2)
    await server.run('flush-usage')
    type Used = { readonly metric: string; readonly quantity: string; readonly zone_name: string }
    const invoice = await server.call<{
      total: string
      rated_until: string
      lines: readonly Used[]
      not_rated: readonly Used[]
    }>('GET', `/v2/invoices/${zone.project_id}/2026-10?exact=true`)
    const quantityOf = (lines: readonly Used[], metric: string) =>
      lines.find(line => line.metric === metric)?.quantity
    t.equal(invoice.rated_until, '2026-10-05T12:00:00+00:00')
    t.equal(quantityOf(invoice.lines, 'dns.queries'), '0.001')
    t.equal(quantityOf(invoice.lines, 'dns.zone'), '2')
    t.equal(quantityOf(invoice.not_rated, 'dns.queries'), '0.0005')
    t.match(quantityOf(invoice.not_rated, 'dns.zone'), /^1\.5/, 'the hour before, and half of this')
    const asked = 'begin=2026-10-01&end=2026-11-01&response_format=object'
    type Sums = { readonly results: readonly { readonly rate: number }[] }
    const { results } = await server.call<Sums>('GET', `/v2/summary?${asked}&exact=true`)
    t.equal(Number(invoice.total), results[0]?.rate)
  },
)
