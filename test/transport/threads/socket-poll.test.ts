import t from 'tap'
import {
  closeDatagramSockets,
  openDatagramSockets,
} from '../../../src/transport/threads/datagram-socket.ts'
import { errors } from '../../../src/transport/threads/layout.ts'
import { SocketPoll } from '../../../src/transport/threads/socket-poll.ts'
import { openSystemCalls } from '../../../src/transport/threads/system-calls.ts'
import { connectTo, unbatched } from '../../helpers/threaded-listeners.ts'

t.test('waiting for several sockets', { skip: unbatched }, async t => {
  const calls = await openSystemCalls()

  t.test('finds those that have something to read', async t => {
    const addresses = [1, 2, 3].map(() => {
      const opened = openDatagramSockets(calls, { host: '127.0.0.1', port: 0 }, 1)
      t.teardown(() => closeDatagramSockets(calls, opened.sockets))
      return { descriptor: opened.sockets[0]!.descriptor, address: opened.address }
    })
    const poll = new SocketPoll(
      calls,
      addresses.map(({ descriptor }) => descriptor),
      0,
    )
    t.equal(poll.wait(), 0)
    for (const i of [0, 2]) {
      const client = await connectTo(t, addresses[i]?.address)
      await client.send('q')
    }
    t.equal(poll.wait(), 2)
    t.strictSame([poll.isReady(0), poll.isReady(1), poll.isReady(2)], [true, false, true])
  })

  t.test('lets what is no socket be found out by reading', async t => {
    const poll = new SocketPoll(calls, [0x7fff_fff0], 0)
    t.equal(poll.wait(), 1)
    t.ok(poll.isReady(0))
  })

  t.test('goes on after an interruption and not after a failure', async t => {
    const failing = (errno: number) => ({ ...calls, poll: () => -1, errno: () => errno })
    t.equal(new SocketPoll(failing(errors.interrupted), [0], 0).wait(), 0)
    const broken = new SocketPoll(failing(errors.badAddress), [0], 0)
    t.throws(() => broken.wait(), { code: 'EFAULT' })
  })
})
