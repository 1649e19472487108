import { createServer } from 'node:net'
import t from 'tap'
import { parseName } from '../../src/dns/name.ts'
import { Appliance } from '../helpers/appliance.ts'
import { freePort } from '../helpers/free-port.ts'
import { listeningOn } from '../helpers/listening-on.ts'
import { newMember } from '../helpers/members.ts'
import { honestScript, ScriptedMaster } from '../helpers/scripted-master.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { until } from '../helpers/until.ts'

// Strangers who write addresses to find out what is behind them: on this machine, and beside it.

type ZoneView = { readonly id: string; readonly status: string; readonly status_reason: string }

const zoneText = `
  @ 300 SOA ns host 1 3600 600 86400 60
  @ 300 NS ns
  ns 300 A 192.0.2.1`

t.test('a member cannot have this machine or its networks asked, in any spelling', async t => {
  const server = await Appliance.start({ dataDirectory: serverFolder(t) })
  t.teardown(() => server.stop())
  const { client } = await newMember(server, 'prober')
  const listening = await ScriptedMaster.start(
    t,
    honestScript(parseName('copy.example.'), zoneText),
  )
  const { port: openPort } = listening.address
  const { port: ownPort } = server.endpoint()
  const hosts = [
    '127.0.0.1',
    '127.9.9.9',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '[fe80::1%lo]',
    '0.0.0.0',
    '[::]',
    '169.254.169.254',
    '10.0.0.1',
    '[fd00::1]',
    '224.0.0.1',
    'localhost',
    'a.localhost',
  ]
  const seen = new Set<string>()
  for (const host of hosts) {
    for (const port of [openPort, ownPort, 1]) {
      const master = `${host}:${port}`
      const body = { name: 'copy.example.', type: 'SECONDARY', masters: [master] }
      const { status, body: answer } = await client.post('/v2/zones', body)
      t.match([status, answer.type], [400, 'invalid_object'], master)
      seen.add(JSON.stringify(answer.errors).replaceAll(master, 'MASTER'))
    }
  }
  t.equal(seen.size, 1, 'there is one answer to all of them')
  t.strictSame(listening.asked, [])

  const body = { name: 'copy.example.', type: 'SECONDARY', masters: [`127.0.0.1:${openPort}`] }
  const { id } = await server.json<ZoneView>('POST', '/v2/zones', body)
  await until(
    () => server.json<ZoneView>('GET', `/v2/zones/${id}`),
    ({ status }) => status === 'ACTIVE',
  )
})

t.test('open, closed and silent ports look the same to a member', async t => {
  const server = await Appliance.start({
    dataDirectory: serverFolder(t),
    environment: { ZONEWRIGHT_OUTBOUND_NETWORKS: '127.0.0.0/8' },
  })
  t.teardown(() => server.stop())
  const { client } = await newMember(server, 'prober')
  const ports = {
    closed: await freePort(),
    hangingUp: await listeningOn(
      t,
      createServer(socket => socket.destroy()),
    ),
    talking: await listeningOn(
      t,
      createServer(socket => socket.end('220 mail.example ESMTP\r\n')),
    ),
    web: await listeningOn(
      t,
      createServer(socket => socket.end('HTTP/1.1 400 \r\n\r\n')),
    ),
  }
  const seen = new Set<string>()
  const exact = new Set<string>()
  for (const [i, port] of Object.values(ports).entries()) {
    const masters = [`127.0.0.1:${port}`]
    const body = { name: `probe-${i}.example.`, type: 'SECONDARY', masters }
    const { id } = (await client.post('/v2/zones', body)).body
    const zone = await until(
      async () => (await client.get(`/v2/zones/${id}`)).body as ZoneView,
      ({ status }) => status === 'ERROR',
    )
    seen.add(zone.status_reason.replace(`:${port}`, ''))
    const told = await server.json<ZoneView>('GET', `/v2/zones/${id}?all_projects=true`)
    exact.add(told.status_reason.replace(`:${port}`, ''))
  }
  t.equal(seen.size, 1, [...seen].join(' | '))
  t.ok(exact.size > 1, 'the operator is told what it was')
})
