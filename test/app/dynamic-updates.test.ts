import { join } from 'node:path'
import t from 'tap'
import { rcodes } from '../../src/dns/codes.ts'
import { rcodeOf } from '../../src/dns/header.ts'
import { decodeMessage, encodeMessage } from '../../src/dns/message.ts'
import type { ListenAddress } from '../../src/transport/answer.ts'
import { DatagramClient } from '../helpers/datagram-client.ts'
import { frame, TcpClient } from '../helpers/tcp-client.ts'
import { makeTestCertificate } from '../helpers/test-certificate.ts'
import { updateMessage } from '../helpers/update-message.ts'
import { startWholeServer } from '../helpers/whole-server.ts'

// The way of an UPDATE from the answering threads to the store and back.

const { certificate, key } = makeTestCertificate()
const folder = t.testdir({ data: {}, 'cert.pem': certificate, 'key.pem': key })
const { app, admin } = await startWholeServer(t, {
  dataDirectory: join(folder, 'data'),
  environment: {
    ZONEWRIGHT_DNS_TLS_LISTEN: '127.0.0.1:0',
    ZONEWRIGHT_DNS_TLS_CERT: join(folder, 'cert.pem'),
    ZONEWRIGHT_DNS_TLS_KEY: join(folder, 'key.pem'),
  },
})
const address = app.dns[0] as ListenAddress
const zones = '/v2/zones'
await admin.post(zones, { name: 'example.com.', email: 'ops@example.com' })
await admin.put(`${zones}/example.com./update_policy`, {
  rules: [{ addresses: ['127.0.0.1'], match: 'zone' }],
})

const add = (name: string, id: number) =>
  updateMessage({ id, changes: [`${name}.example.com. 300 A 192.0.2.1`] })

async function has(name: string): Promise<boolean> {
  const answer = await admin.get(`${zones}/example.com./recordsets?name=${name}.example.com.`)
  return answer.body.recordsets.length === 1
}

t.test('over UDP', async t => {
  const client = await DatagramClient.connect(address)
  t.teardown(() => client.close())
  const answer = Buffer.from(await client.ask(add('udp', 7)), 'latin1')
  t.equal(answer.readUInt16BE(0), 7)
  t.equal(answer[3], rcodes.noError)
  t.ok(await has('udp'))
  const edns = { payloadOctets: 4096, extendedRcode: 0, version: 0, isDnssecOk: false, options: [] }
  const withEdns = encodeMessage({ ...decodeMessage(add('edns', 12)), edns })
  const answered = decodeMessage(Buffer.from(await client.ask(withEdns), 'latin1'))
  t.equal(rcodeOf(answered.header.flags), rcodes.noError)
  t.match(answered.edns, { payloadOctets: 1232, version: 0 })
  const foreign = await client.ask(updateMessage({ zone: 'example.net.' }))
  t.equal(Buffer.from(foreign, 'latin1')[3], rcodes.notAuth)
})

t.test('over TCP, answered also when the client has closed its side', async t => {
  const client = await TcpClient.connect(address)
  client.socket.end(frame(add('tcp', 8)))
  const answer = await client.read()
  t.equal(answer?.readUInt16BE(0), 8)
  t.equal(answer?.[3], rcodes.noError)
  t.ok(await has('tcp'))
  t.equal(await client.read(), undefined)
})

t.test('over TLS, also when the connection has been used and is used again', async t => {
  const client = await TcpClient.connectSecurely(app.dnsTls[0] as ListenAddress)
  t.teardown(() => client.socket.destroy())
  for (const [id, name] of [
    [9, 'tls'],
    [10, 'tls-again'],
  ] as const) {
    await client.write(frame(add(name, id)))
    const answer = await client.read()
    t.equal(answer?.readUInt16BE(0), id)
    t.equal(answer?.[3], rcodes.noError)
    t.ok(await has(name))
  }
  await client.write(frame(updateMessage({ id: 11, zone: 'example.net.' })))
  t.equal((await client.read())?.[3], rcodes.notAuth)
})

t.test('of many at once over one connection each is answered, some are refused', async t => {
  const client = await TcpClient.connect(address)
  const ids = Array.from({ length: 30 }, (_, i) => i)
  await client.write(Buffer.concat(ids.map(id => frame(add(`many${id}`, id)))))
  const answers = new Map<number, number | undefined>()
  for (const _ of ids) {
    const answer = await client.read()
    answers.set(answer?.readUInt16BE(0) ?? -1, answer?.[3])
  }
  t.same(
    [...answers.keys()].sort((a, b) => a - b),
    ids,
  )
  for (const [id, rcode] of answers) t.equal(await has(`many${id}`), rcode === rcodes.noError)
  client.socket.destroy()
})
