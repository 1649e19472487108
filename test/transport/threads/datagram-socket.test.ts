import t from 'tap'
import {
  closeDatagramSockets,
  openDatagramSockets,
  socketAddress,
} from '../../../src/transport/threads/datagram-socket.ts'
import { openSystemCalls } from '../../../src/transport/threads/system-calls.ts'
import { UdpListener } from '../../../src/transport/udp.ts'
import { unbatched } from '../../helpers/threaded-listeners.ts'

t.test('sockets for datagrams', { skip: unbatched }, async t => {
  const calls = await openSystemCalls()

  for (const host of ['127.0.0.1', '::1', '0.0.0.0', '::']) {
    t.test(`several of ${host} share the port that the system picked`, async t => {
      const { sockets, address } = openDatagramSockets(calls, { host, port: 0 }, 3)
      t.teardown(() => closeDatagramSockets(calls, sockets))
      t.equal(sockets.length, 3)
      t.ok(address.port > 0)
      for (const socket of sockets) {
        const { host: boundHost, port } = socketAddress(calls, socket)
        t.strictSame({ host: boundHost, port }, address)
      }
    })
  }

  t.test('nobody can join the port, nor is one joined that somebody has', async t => {
    const { sockets, address } = openDatagramSockets(calls, { host: '127.0.0.1', port: 0 }, 2)
    t.teardown(() => closeDatagramSockets(calls, sockets))
    t.throws(() => openDatagramSockets(calls, address, 2), { code: 'EADDRINUSE', syscall: 'bind' })
    const other = await UdpListener.open({
      address: { host: '127.0.0.1', port: 0 },
      answer: () => undefined,
      report: error => t.error(error),
    })
    t.teardown(() => other.close())
    t.throws(() => openDatagramSockets(calls, other.address, 2), { code: 'EADDRINUSE' })
  })

  t.test('a refused address leaves no socket open', async t => {
    const probe = () => {
      const { sockets } = openDatagramSockets(calls, { host: '127.0.0.1', port: 0 }, 1)
      closeDatagramSockets(calls, sockets)
      return sockets[0]?.descriptor
    }
    const before = probe()
    t.throws(() => openDatagramSockets(calls, { host: '192.0.2.1', port: 0 }, 2), {
      code: 'EADDRNOTAVAIL',
    })
    t.equal(probe(), before)
  })
})
