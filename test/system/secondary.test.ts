import t from 'tap'
import { opcodes, rcodes, types } from '../../src/dns/codes.ts'
import { flags, rcodeOf } from '../../src/dns/header.ts'
import { formatName, parseName } from '../../src/dns/name.ts'
import { formatRdata, typeMnemonic } from '../../src/dns/rdata/index.ts'
import { Appliance } from '../helpers/appliance.ts'
import { queryFor, replyFrom } from '../helpers/ask.ts'
import { DatagramClient } from '../helpers/datagram-client.ts'
import { queryAddresses, queryUdp } from '../helpers/query.ts'
import { honestScript, ScriptedMaster } from '../helpers/scripted-master.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { signZone } from '../helpers/sign-zone.ts'
import { frame, TcpClient } from '../helpers/tcp-client.ts'
import { until } from '../helpers/until.ts'
import { rrsetsFromText } from '../helpers/zone.ts'

type ZoneView = {
  readonly id: string
  readonly status: string
  readonly status_reason: string | null
  readonly serial: number
}

const apex = parseName('example.com.')
const zoneText = (serial: number, address: string) => `
  @ 300 SOA ns host ${serial} 3600 600 86400 60
  @ 300 NS ns
  ns 300 A 192.0.2.1
  www 60 A ${address}`

t.test(
  'a secondary zone is fetched, served, kept over a restart, and follows its master',
  async t => {
    const dataDirectory = serverFolder(t)
    let script = honestScript(apex, zoneText(7, '192.0.2.7'))
    const master = await ScriptedMaster.start(t, turn => script(turn))
    let server = await Appliance.start({ dataDirectory })
    t.teardown(() => server.stop())

    const { host, port } = master.address
    const body = { name: 'example.com.', type: 'SECONDARY', masters: [`${host}:${port}`] }
    const { id } = await server.json<ZoneView>('POST', '/v2/zones', body)
    const zone = await until(
      () => server.json<ZoneView>('GET', `/v2/zones/${id}`),
      ({ status }) => status === 'ACTIVE',
    )
    t.equal(zone.serial, 7)
    t.strictSame(await queryAddresses(server.endpoint(), 'www.example.com.'), ['192.0.2.7'])

    await server.stop()
    await master.stop()
    server = await Appliance.start({ dataDirectory })
    t.strictSame(await queryAddresses(server.endpoint(), 'www.example.com.'), ['192.0.2.7'])

    script = honestScript(apex, zoneText(8, '192.0.2.8'))
    const second = await ScriptedMaster.start(t, turn => script(turn))
    const masters = [`${second.address.host}:${second.address.port}`]
    await server.json('PATCH', `/v2/zones/${id}`, { masters })
    await until(
      () => server.json<ZoneView>('GET', `/v2/zones/${id}`),
      ({ serial, status }) => serial === 8 && status === 'ACTIVE',
    )
    t.strictSame(await queryAddresses(server.endpoint(), 'www.example.com.'), ['192.0.2.8'])
    const missing = await queryUdp(server.endpoint(), { name: 'no.example.com.', type: types.A })
    t.equal(rcodeOf(missing.header.flags), rcodes.nxDomain)
  },
)

const server = await Appliance.start({ dataDirectory: serverFolder(t) })
t.teardown(() => server.stop())

t.test('a signed zone is answered with its signatures, until its master has none', async t => {
  const text = (serial: number) => zoneText(serial, '192.0.2.7')
  let script = honestScript(apex, signedText(text(7)))
  const master = await ScriptedMaster.start(t, turn => script(turn))
  const { host, port } = master.address
  const masters = [`${host}:${port}`]
  const body = { name: 'example.com.', type: 'SECONDARY', masters }
  const { id } = await server.json<ZoneView>('POST', '/v2/zones', body)
  const view = () => server.json<ZoneView>('GET', `/v2/zones/${id}`)
  const zone = await until(view, ({ status }) => status === 'ACTIVE')
  t.equal(zone.status_reason, null)
  const client = await DatagramClient.connect(server.endpoint())
  t.teardown(() => client.close())
  const typesOf = async (question: string) => {
    const response = await client.ask(queryFor(question, { edns: { isDnssecOk: true } }))
    const { answer, authority } = replyFrom(Buffer.from(response, 'latin1'))
    return [...answer, ...authority].map(line => line.split(' ')[2]).join(' ')
  }
  t.equal(await typesOf('www.example.com. A'), 'A RRSIG')
  t.equal(await typesOf('zz.example.com. A'), 'SOA RRSIG NSEC RRSIG NSEC RRSIG')
  script = honestScript(apex, text(8))
  await server.json('PATCH', `/v2/zones/${id}`, { masters })
  await until(view, ({ serial }) => serial === 8)
  t.equal(await typesOf('www.example.com. A'), 'A')
  t.equal(await typesOf('zz.example.com. A'), 'SOA')
  await server.request('DELETE', `/v2/zones/${id}`)
})

/** The same zone with made-up signatures. */
function signedText(text: string): string {
  const rrsets = rrsetsFromText(text.replaceAll('@', formatName(apex)))
  return signZone(rrsets, { denial: 'nsec' })
    .flatMap(({ owner, type, ttlSeconds, rdatas }) =>
      rdatas.map(
        rdata =>
          `${formatName(owner)} ${ttlSeconds} ${typeMnemonic(type)} ${formatRdata(type, rdata)}`,
      ),
    )
    .join('\n')
}

t.test('a NOTIFY of a master, over UDP or TCP, has its zone fetched at once', async t => {
  let script = honestScript(apex, zoneText(7, '192.0.2.7'))
  const master = await ScriptedMaster.start(t, turn => script(turn))
  const { host, port } = master.address
  const body = { name: 'example.com.', type: 'SECONDARY', masters: [`${host}:${port}`] }
  const { id } = await server.json<ZoneView>('POST', '/v2/zones', body)
  const view = () => server.json<ZoneView>('GET', `/v2/zones/${id}`)
  await until(view, ({ status }) => status === 'ACTIVE')

  const request = queryFor('example.com. SOA', {
    opcode: opcodes.notify,
    flags: flags.authoritative,
  })
  const datagrams = await DatagramClient.connect(server.endpoint())
  t.teardown(() => datagrams.close())
  const stream = await TcpClient.connect(server.endpoint())
  t.teardown(() => stream.socket.destroy())
  const ways = [
    async () => Buffer.from(await datagrams.ask(request), 'latin1'),
    async () => {
      await stream.write(frame(request))
      return stream.read()
    },
  ]
  for (const [i, notify] of ways.entries()) {
    const serial = 8 + i
    script = honestScript(apex, zoneText(serial, `192.0.2.${serial}`))
    const reply = replyFrom((await notify()) ?? new Uint8Array())
    t.match(reply, { rcode: 'NOERROR', flags: 'aa', question: 'example.com. SOA', answer: [] })
    await until(view, zone => zone.serial === serial)
    t.strictSame(await queryAddresses(server.endpoint(), 'www.example.com.'), [`192.0.2.${serial}`])
  }
  await server.request('DELETE', `/v2/zones/${id}`)
})

t.test('a zone whose master had nothing at first is fetched at its NOTIFY', async t => {
  let script = honestScript(parseName('other.example.'), zoneText(1, '192.0.2.1'))
  const master = await ScriptedMaster.start(t, turn => script(turn))
  const { host, port } = master.address
  const body = { name: 'example.com.', type: 'SECONDARY', masters: [`${host}:${port}`] }
  const { id } = await server.json<ZoneView>('POST', '/v2/zones', body)
  const view = () => server.json<ZoneView>('GET', `/v2/zones/${id}`)
  await until(view, ({ status }) => status === 'ERROR')

  const client = await DatagramClient.connect(server.endpoint())
  t.teardown(() => client.close())
  const notify = async (name: string) => {
    const request = queryFor(`${name} SOA`, { opcode: opcodes.notify, flags: flags.authoritative })
    return replyFrom(Buffer.from(await client.ask(request), 'latin1')).rcode
  }
  t.equal(await notify('example.net.'), 'NOTAUTH')
  script = honestScript(apex, zoneText(7, '192.0.2.7'))
  t.equal(await notify('example.com.'), 'NOERROR')
  await until(view, ({ status }) => status === 'ACTIVE')
  t.strictSame(await queryAddresses(server.endpoint(), 'www.example.com.'), ['192.0.2.7'])
  await server.request('DELETE', `/v2/zones/${id}`)
  t.equal(await notify('example.com.'), 'NOTAUTH')
})
