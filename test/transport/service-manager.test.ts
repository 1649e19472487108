import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { ServiceManager, unixAddress } from '../../src/transport/service-manager.ts'
import { openSystemCalls } from '../../src/transport/threads/system-calls.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { unbatched } from '../helpers/threaded-listeners.ts'
import { until } from '../helpers/until.ts'

const doNotWait = 0x40

/** A socket of a service manager, and what it has been told so far. */
async function listen(t: Test, path: string) {
  const calls = await openSystemCalls()
  const socket = calls.socket(1, 2, 0)
  t.teardown(() => calls.close(socket))
  const address = unixAddress(path)
  t.equal(calls.bind(socket, address, address.length), 0)
  const told: string[] = []
  return () => {
    for (;;) {
      const room = Buffer.alloc(100)
      const from = Buffer.alloc(128)
      const length = calls.recvfrom(socket, room, 100, doNotWait, from, Uint32Array.of(128))
      if (length < 0) return told
      told.push(room.toString('utf8', 0, length))
    }
  }
}

t.test('a manager is told of readiness, life and the end', { skip: unbatched }, async t => {
  for (const path of [join(serverFolder(t), 's'), `@zonewright-test-${process.pid}`]) {
    const told = await listen(t, path)
    const manager = await ServiceManager.open({ NOTIFY_SOCKET: path, WATCHDOG_USEC: '20000' })
    t.same(told(), [])
    await manager.ready()
    await until(
      async () => told().length,
      count => count >= 3,
    )
    await manager.stopping()
    const all = told()
    t.same([...new Set(all)], ['READY=1', 'WATCHDOG=1', 'STOPPING=1'])
  }
})

t.test('without a manager there is nothing to tell', async t => {
  const manager = await ServiceManager.open({})
  await manager.ready()
  await manager.stopping()
  t.pass()
})

t.test('a manager that is gone is an error', { skip: unbatched }, async t => {
  const path = join(serverFolder(t), 'gone')
  const server = createServer().listen(path)
  await once(server, 'listening')
  server.close()
  await once(server, 'close')
  const manager = await ServiceManager.open({ NOTIFY_SOCKET: path })
  await t.rejects(manager.ready(), /cannot be reached/)
})
