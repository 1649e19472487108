import t from 'tap'
import { types } from '../../src/dns/codes.ts'
import { decodeMessage, encodeQuery } from '../../src/dns/message.ts'
import { parseName } from '../../src/dns/name.ts'
import { formatRdata, typeMnemonic } from '../../src/dns/rdata/index.ts'
import { defaultPoolId } from '../../src/model/pool.ts'
import { queryAddresses } from '../helpers/query.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { frame, TcpClient } from '../helpers/tcp-client.ts'
import { until } from '../helpers/until.ts'
import { startWholeServer } from '../helpers/whole-server.ts'

// Two servers: one has the zone of the target and is the resolver of the other, which has the ALIAS.

t.test(
  'an ALIAS at the apex is answered, transferred as addresses and exported as itself',
  async t => {
    const target = await startWholeServer(t, { dataDirectory: serverFolder(t) })
    const { host, port } = target.app.dns[0] as { host: string; port: number }
    const server = await startWholeServer(t, {
      dataDirectory: serverFolder(t),
      environment: { ZONEWRIGHT_ALIAS_RESOLVERS: `${host}:${port}` },
    })
    const dns = server.app.dns[0] as { host: string; port: number }
    await target.admin.post('/v2/zones', { name: 'example.net.', email: 'ops@example.net' })
    const sets = '/v2/zones/example.net./recordsets'
    const address = { name: 'lb', type: 'A', ttl: 40, records: ['192.0.2.1'] }
    const made = await target.admin.post(sets, address)
    await target.admin.post(sets, { name: 'cdn', type: 'CNAME', records: ['lb.example.net.'] })

    await server.admin.patch(`/v2/pools/${defaultPoolId}`, {
      attributes: { allow_transfer: '127.0.0.1' },
    })
    await server.admin.post('/v2/zones', { name: 'example.com.', email: 'ops@example.com' })
    const draft = { name: '@', type: 'ALIAS', records: ['cdn.example.net.'] }
    t.equal((await server.admin.post('/v2/zones/example.com./recordsets', draft)).status, 201)
    const answered = () => queryAddresses(dns, 'example.com.')
    t.same(await until(answered, found => found.length > 0), ['192.0.2.1'])

    t.same(await transferred(dns), ['SOA', 'NS ns1.zonewright.example.', 'A 192.0.2.1', 'SOA'])
    const file = (await server.admin.get('/api/v1/servers/localhost/zones/example.com./export'))
      .text
    t.match(file, /IN ALIAS cdn\.example\.net\./)
    t.notMatch(file, /192\.0\.2\.1/)

    const changed = `${sets}/${made.body.id}`
    await target.admin.put(changed, { records: ['192.0.2.2', '192.0.2.3'] })
    server.clock.advanceMillis(60_000)
    await server.app.runJob('refresh-aliases')
    const both = await until(answered, found => found.length === 2)
    t.same(both.sort(), ['192.0.2.2', '192.0.2.3'])
    const { body: check } = await server.admin.post('/admin/check')
    // The clock of the test is not that of PostgreSQL.
    t.same(
      check.findings.filter((found: { kind: string }) => found.kind !== 'node'),
      [],
    )
  },
)

/** The records of the zone as they are transferred, of the SOA only that there is one. */
async function transferred(server: { readonly host: string; readonly port: number }) {
  const client = await TcpClient.connect(server)
  const query = encodeQuery({ id: 1, name: parseName('example.com.'), type: types.AXFR })
  await client.write(frame(query))
  const { answers } = decodeMessage((await client.read()) ?? Buffer.alloc(0))
  client.socket.destroy()
  return answers.map(({ type, rdata }) =>
    type === types.SOA ? 'SOA' : `${typeMnemonic(type)} ${formatRdata(type, rdata)}`,
  )
}
