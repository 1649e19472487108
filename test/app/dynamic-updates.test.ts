import t from 'tap'
import { rcodes } from '../../src/dns/codes.ts'
import type { ListenAddress } from '../../src/transport/answer.ts'
import { DatagramClient } from '../helpers/datagram-client.ts'
import { frame, TcpClient } from '../helpers/tcp-client.ts'
import { updateMessage } from '../helpers/update-message.ts'
import { startWholeServer } from '../helpers/whole-server.ts'

// The way of an UPDATE from the answering threads to the store and back.

const { app, admin } = await startWholeServer(t, { dataDirectory: t.testdir() })
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
