import t from 'tap'
import { queryFor } from '../helpers/ask.ts'
import { askOverTcp, askOverUdp } from '../helpers/query-load.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { startWholeServer } from '../helpers/whole-server.ts'

t.test(
  'an administrator sees all that is asked most, and others what is asked of their zones',
  async t => {
    const environment = { ZONEWRIGHT_QUERY_ADDRESSES: 'network' }
    const server = await startWholeServer(t, { dataDirectory: serverFolder(t), environment })
    const [dns] = server.app.dns
    if (dns === undefined) throw new Error('it listens')
    const projectId = await server.makeProject('acme')
    const ann = server.bearer(
      await server.login(await server.makeAccount({ name: 'ann', projectId, role: 'reader' })),
    )
    const member = server.bearer(
      await server.login(await server.makeAccount({ name: 'bob', projectId, role: 'member' })),
    )
    const body = (name: string) => ({ name, email: 'ops@example.com' })
    const { body: zone } = await member.post('/v2/zones', body('acme.example.'))
    await server.admin.post('/v2/zones', body('other.example.'))
    const ask = (...questions: string[]) =>
      askOverUdp(
        dns,
        questions.map(text => queryFor(text)),
      )
    await ask('www.ACME.example. A', 'other.example. SOA', 'other.example. NS', 'nowhere.test. A')
    await askOverTcp(dns, [queryFor('www.acme.example. A')])

    const { body: all } = await server.admin.get('/v2/top')
    t.equal(all.queries, 5)
    t.same(all.zones.map((one: { zone_name: string }) => one.zone_name).sort(), [
      'acme.example.',
      'other.example.',
    ])
    t.same(all.names[0], { name: 'www.acme.example.', type: 'A', queries: 2 })
    t.same(all.clients, [{ client: '127.0.0.0', queries: 5 }])
    const { body: own } = await ann.get('/v2/top?limit=1&seconds=300')
    t.match(own, {
      queries: 2,
      zones: [{ zone_id: zone.id, zone_name: 'acme.example.', queries: 2 }],
      names: [{ name: 'www.acme.example.', type: 'A', queries: 2 }],
      types: [{ type: 'A', queries: 2 }],
      rcodes: [{ rcode: 'NXDOMAIN', queries: 2 }],
    })
    server.clock.advanceMillis(61_000)
    t.match((await server.admin.get('/v2/top')).body, { queries: 0, names: [] })
    t.equal((await server.admin.get('/v2/top?seconds=301')).status, 400)
  },
)
