import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import t from 'tap'
import { freePort } from '../helpers/free-port.ts'
import { type PeerRecipe, startPeerProcess } from '../helpers/peer-process.ts'

// The retry that the other tests of this folder rely on when another process takes a port before the peer.

/** A peer that listens on TCP, or ends as servers do when they cannot. */
function listener(port: number): PeerRecipe {
  const script = `require('node:net').createServer().listen(${port}, '127.0.0.1')`
  return { files: {}, command: [process.execPath, '--eval', script] }
}

async function isListening(port: number): Promise<boolean> {
  try {
    const server = await take(port)
    server.close()
    return false
  } catch {
    return true
  }
}

async function take(port: number): Promise<Server> {
  const server = createServer()
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
}

t.test('a peer whose port is taken gets another', async t => {
  const ports: number[] = []
  const peer = await startPeerProcess({
    name: 'listener',
    recipe: ({ port }) => {
      if (ports.length === 0) {
        const server = createServer().listen(port, '127.0.0.1')
        t.teardown(() => server.close())
      }
      ports.push(port)
      return listener(port)
    },
    isReady: async port => ports.length > 1 && (await isListening(port)),
  })
  t.equal(ports.length, 2)
  t.equal(peer.port, ports[1])
  await peer.close()
  t.notOk(await isListening(peer.port), 'it has ended')
})

t.test('a peer that cannot start says why', async t => {
  const recipe = {
    files: {},
    command: [process.execPath, '--eval', 'console.error("no way"); exit'],
  }
  const starting = startPeerProcess({
    name: 'failure',
    recipe: () => recipe,
    isReady: async () => false,
  })
  await t.rejects(starting, /failure is not ready:\nno way/)
  const missing = { files: {}, command: ['no-such-program-at-all'] }
  const absent = startPeerProcess({
    name: 'absent',
    recipe: () => missing,
    isReady: async () => false,
  })
  await t.rejects(absent, /absent is not ready:\n.*ENOENT/)
})

t.test('a free port is free for both, and not one that the kernel gives out', async t => {
  const range = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8')
  const [first = 0, last = 0] = range.trim().split(/\s+/).map(Number)
  for (let i = 0; i < 20; i += 1) {
    const port = await freePort()
    t.notOk(port >= first && port <= last, `${port}`)
    const server = await take(port)
    const socket = createSocket('udp4').bind(port, '127.0.0.1')
    await once(socket, 'listening')
    server.close()
    socket.close()
  }
})
