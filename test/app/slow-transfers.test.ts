import t from 'tap'
import { collectGarbage } from '../../src/transport/threads/freed-memory.ts'
import { queryFor, replyFrom } from '../helpers/ask.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { frame, TcpClient } from '../helpers/tcp-client.ts'
import { until } from '../helpers/until.ts'
import { startWholeServer } from '../helpers/whole-server.ts'
import { kindOf, toSerial, transferFrom, transferQuery } from '../helpers/zone-difference.ts'

// Clients that ask for large zones, or for large differences, and do not read.

const { app, admin } = await startWholeServer(t, { dataDirectory: serverFolder(t) })
const [server] = app.dns
if (server === undefined) throw new Error('nothing listens')
const apex = 'large.example.'
const strings = Array.from({ length: 8 }, () => `"${'x'.repeat(250)}"`).join(' ')
const quota = { zone_records: -1, zone_recordsets: -1 }
const { body: zone } = await admin.post('/v2/zones', {
  name: apex,
  email: 'a@example.com',
  attributes: { allow_transfer: '127.0.0.0/8' },
})
await admin.call('PATCH', `/v2/quotas/${zone.project_id}`, {
  headers: { 'x-auth-all-projects': 'true' },
  body: quota,
})

/** Adds a megabyte as often as that. */
async function add(prefix: string, times: number): Promise<void> {
  for (let part = 0; part < times; part += 1) {
    const create = Array.from({ length: 500 }, (_, i) => ({
      name: `${prefix}${part}-${i}.${apex}`,
      type: 'TXT',
      records: [strings],
    }))
    const { status } = await admin.post(`/v2/zones/${zone.id}/changes`, { create })
    if (status !== 200) throw new Error(`${status}`)
  }
}

await add('a', 4)
const older = toSerial(await transferFrom(server, apex))
// More than the kernel takes for a client that does not read.
await add('b', 6)

/** Asks, and reads nothing of what comes. */
async function askAndStop(query: Uint8Array): Promise<TcpClient> {
  const client = await TcpClient.connect(server!)
  client.socket.pause()
  await client.write(frame(query))
  return client
}

t.test('100 transfers of a large zone at once from one address hold up nobody else', async t => {
  const queries = Array.from({ length: 100 }, (_, i) =>
    transferQuery(apex, i % 2 === 0 ? undefined : older),
  )
  const clients = await Promise.all(queries.map(askAndStop))
  const other = await TcpClient.connect(server)
  await other.write(frame(queryFor(`a0-7.${apex} TXT`)))
  t.match(replyFrom((await other.read()) ?? Buffer.alloc(0)), { rcode: 'NOERROR' })
  other.socket.destroy()
  const { status } = await admin.post(`/v2/zones/${zone.id}/recordsets`, {
    name: `meanwhile.${apex}`,
    type: 'TXT',
    records: ['"x"'],
  })
  t.equal(status, 201, 'the zone changes meanwhile')
  t.equal(kindOf(await transferFrom(server, apex, older, '127.0.0.2')), 'difference')
  // Who reads gets all of it, beside those that do not; these are cut off after a while.
  for (const query of queries.slice(0, 6)) t.ok((await readAll(await askAndStop(query))) > 2_000)
  for (const client of clients) client.socket.destroy()
  await Promise.all(clients.map(({ closed }) => closed))
})

/** Reads a transfer to its end, and returns how many records it had. */
async function readAll(client: TcpClient): Promise<number> {
  client.socket.resume()
  let count = 0
  let soaCount = 0
  let wanted = 2
  while (soaCount < wanted) {
    const { answer } = replyFrom((await client.read()) ?? Buffer.alloc(0))
    if (count === 0 && answer[1]?.includes(' SOA ')) wanted = 4
    count += answer.length
    soaCount += answer.filter(line => line.includes(' SOA ')).length
  }
  client.socket.destroy()
  return count
}

/** What kind of transfer is begun for one more client, which then leaves. */
async function kindBegun() {
  const client = await askAndStop(transferQuery(apex, older))
  client.socket.resume()
  const { answer } = replyFrom((await client.read()) ?? Buffer.alloc(0))
  client.socket.destroy()
  return kindOf(answer)
}

t.test('clients that stop reading cost bounded memory', async t => {
  const difference = (await transferFrom(server, apex, older)).join('\n').length
  collectGarbage()
  const before = process.memoryUsage().arrayBuffers
  const clients: TcpClient[] = []
  const stopSome = async () => {
    const more = Array.from({ length: 40 }, () => askAndStop(transferQuery(apex, older)))
    clients.push(...(await Promise.all(more)))
    return kindBegun()
  }
  // An address may hold 16 MiB of differences; after that it is sent the zone, from the memory it is answered from. How much
  // the kernel takes of each before that depends on the machine.
  t.equal(await until(stopSome, kind => kind === 'zone'), 'zone')
  t.equal(kindOf(await transferFrom(server, apex, older, '127.0.0.2')), 'difference')
  collectGarbage()
  const held = process.memoryUsage().arrayBuffers - before
  t.ok(difference * clients.length > 150 * 1024 * 1024, 'all of them would be more')
  t.ok(held < 40 * 1024 * 1024, `${Math.round(held / 2 ** 20)} MiB`)
  for (const client of clients) client.socket.destroy()
  await Promise.all(clients.map(({ closed }) => closed))
})
