import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { readerFrame, readyFrame, startFrame, stopFrame } from '../../src/querylog/dnstap.ts'
import { DnstapSocket } from '../../src/querylog/dnstap-socket.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { until } from '../helpers/until.ts'

const content = startFrame().subarray(12)
const accept = Buffer.concat([Buffer.from('000000000000002200000001', 'hex'), content])
const finish = Buffer.from('000000000000000400000005', 'hex')

/** A reader of Frame Streams that does what the test says. */
async function listen(t: Test, path: string) {
  const sockets: Socket[] = []
  const received: Buffer[] = []
  const server = createServer(socket => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.on('data', octets => received.push(octets))
  })
  server.listen(path)
  await once(server, 'listening')
  t.teardown(() => server.close())
  const text = () => Buffer.concat(received).toString('hex')
  return { server, sockets, text, forget: () => received.splice(0) }
}

t.test('frames go to a reader that has consented, and again to the next one', async t => {
  const path = join(serverFolder(t), 'tap')
  const changes: boolean[] = []
  const sink = new DnstapSocket({ path, onChanged: hasReader => changes.push(hasReader) })
  sink.write(Buffer.from('lost'))
  t.equal(sink.lostCount, 1, 'nobody listens')
  await until(() => changes.length === 1)
  const reader = await listen(t, path)
  await until(() => reader.text() === readyFrame().toString('hex'))
  sink.write(Buffer.from('early'))
  t.equal(sink.lostCount, 2, 'it has not consented')
  reader.sockets[0]?.write(accept.subarray(0, 20))
  reader.sockets[0]?.write(accept.subarray(20))
  await until(() => changes.length === 2)
  sink.write(Buffer.from('one'))
  const head = Buffer.concat([readyFrame(), startFrame()]).toString('hex')
  await until(() => reader.text() === `${head}${Buffer.from('one').toString('hex')}`)
  reader.forget()
  reader.sockets[0]?.destroy()
  await until(() => reader.sockets.length === 2)
  reader.sockets[1]?.write(accept)
  await until(() => changes.length === 4)
  t.strictSame(changes, [false, true, false, true])
  await until(() => reader.text() === head)
  reader.forget()
  const closed = sink.close()
  await until(() => reader.text() === stopFrame().toString('hex'))
  reader.sockets[1]?.write(finish)
  await closed
  sink.write(Buffer.from('late'))
  t.equal(sink.lostCount, 3)
})

t.test('a reader that does not read costs what may wait; closing does not wait for it', async t => {
  const path = join(serverFolder(t), 'tap')
  const reader = await listen(t, path)
  const changes: boolean[] = []
  const sink = new DnstapSocket({ path, onChanged: hasReader => changes.push(hasReader) })
  await until(() => reader.sockets.length === 1)
  reader.sockets[0]?.write(accept)
  await until(() => changes.length === 1)
  reader.sockets[0]?.pause()
  const part = Buffer.alloc(2 ** 20)
  for (let i = 0; i < 40; i += 1) sink.write(part)
  t.ok(sink.lostCount >= 25, `${sink.lostCount} lost`)
  const closed = sink.close()
  rmSync(path, { force: true })
  reader.sockets[0]?.destroy()
  await closed
  t.equal(sink.lostCount, 40, 'what waited is lost as well')
})

t.test('what a reader says is read in bounds', async t => {
  t.strictSame(readerFrame(accept), { kind: 'accepts', octets: accept.length })
  t.strictSame(readerFrame(Buffer.from('000000000000000400000001', 'hex')), {
    kind: 'accepts',
    octets: 12,
  })
  t.strictSame(readerFrame(finish), { kind: 'finished', octets: 12 })
  t.equal(readerFrame(accept.subarray(0, 11)), undefined)
  t.equal(readerFrame(accept.subarray(0, 30)), undefined)
  t.equal(readerFrame(startFrame()), 'nonsense')
  t.equal(readerFrame(Buffer.from('000000000000020100000001', 'hex')), 'nonsense')
  t.equal(readerFrame(Buffer.from('000000010000000400000001', 'hex')), 'nonsense')
  const other = Buffer.from(accept)
  other[other.length - 1] = 0
  t.equal(readerFrame(other), 'nonsense')
})
