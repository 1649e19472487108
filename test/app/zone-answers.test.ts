import t from 'tap'
import { queryFor } from '../helpers/ask.ts'
import { askOverTcp, askOverUdp } from '../helpers/query-load.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { startWholeServer } from '../helpers/whole-server.ts'

const zoneBody = { name: 'example.com.', email: 'ops@example.com' }

t.test('a zone is counted by transport, rcode and type, from when it was made', async t => {
  const server = await startWholeServer(t, { dataDirectory: serverFolder(t) })
  const [dns] = server.app.dns
  if (dns === undefined) throw new Error('it listens')
  const statistics = async () =>
    (await server.admin.get(`/v2/zones/${zoneBody.name}/statistics`)).body
  await server.admin.post('/v2/zones', zoneBody)
  const udp = ['example.com. SOA', 'no.example.com. A', 'example.com. HINFO', 'elsewhere.test. A']
  const { octets } = await askOverUdp(
    dns,
    udp.slice(0, 3).map(question => queryFor(question)),
  )
  await askOverUdp(dns, [queryFor('elsewhere.test. A')])
  const ofTcp = await askOverTcp(dns, [queryFor('example.com. AAAA')])
  t.match(await statistics(), {
    responses: 4,
    response_octets: octets + ofTcp.octets,
    by_transport: { udp: 3, tcp: 1 },
    by_rcode: { NOERROR: 3, NXDOMAIN: 1, SERVFAIL: 0, YXDOMAIN: 0 },
    by_type: { A: 1, AAAA: 1, SOA: 1, TXT: 0, other: 1 },
  })
  const { text } = await server.admin.get('/metrics')
  t.match(text, /^zonewright_dns_queries_total\{transport="udp",type="A"\} 2$/m)
  t.match(text, /^zonewright_dns_queries_total\{transport="tcp",type="AAAA"\} 1$/m)
  t.match(text, /^zonewright_dns_queries_total\{transport="udp",type="other"\} 1$/m)
  t.match(text, /^zonewright_log_append_duration_seconds_count [1-9]/m)
  t.match(text, /^zonewright_recordsets 2$/m)

  server.clock.advanceMillis(60_000)
  t.equal((await server.admin.delete(`/v2/zones/${zoneBody.name}`)).status, 202)
  const { body: again } = await server.admin.post('/v2/zones', zoneBody)
  const fresh = await statistics()
  t.match(fresh, { zone_id: again.id, responses: 0, by_type: { A: 0, other: 0 } })
  t.ok(fresh.since <= again.created_at && fresh.since >= '2026-11-21T12:01:00.000000', fresh.since)
})
