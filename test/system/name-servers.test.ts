import t from 'tap'
import { Appliance } from '../helpers/appliance.ts'
import { serverFolder } from '../helpers/server-folder.ts'

const pool = '/v2/pools/794ccc2c-d751-44fe-b57f-8894c9f5c842'
const placeholderWarning = /the name servers of new zones are a placeholder/

t.test('the settings say the name servers of new zones; a start without them warns', async t => {
  const dataDirectory = serverFolder(t)
  let server = await Appliance.start({ dataDirectory })
  t.teardown(() => server.kill())
  t.match(server.startLog, placeholderWarning)
  const nameServersAfter = async (names: string) => {
    await server.stop()
    const environment = { ZONEWRIGHT_NAMESERVERS: names }
    server = await Appliance.start({ dataDirectory, environment })
    t.notMatch(server.startLog, placeholderWarning)
    const { ns_records: rows } = await server.json<{ ns_records: { hostname: string }[] }>(
      'GET',
      pool,
    )
    return rows.map(({ hostname }) => hostname)
  }
  const names = 'ns1.example.net.,ns2.example.net.'
  t.strictSame(await nameServersAfter(names), names.split(','))
  await server.json('PATCH', pool, { ns_records: [{ hostname: 'ns9.example.net.', priority: 1 }] })
  t.strictSame(await nameServersAfter(names), ['ns9.example.net.'], 'what was edited stays')
  t.match(server.startLog, /keeps the name servers it was given through the API/)
  t.strictSame(await nameServersAfter('ns3.example.net'), ['ns3.example.net.'])
})
