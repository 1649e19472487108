import { createSocket, type Socket as DatagramSocket } from 'node:dgram'
import { once } from 'node:events'
import { createConnection, createServer } from 'node:net'
import type { Test } from 'tap'
import type { Endpoint } from './appliance.ts'

/** One address in front of several name servers: each datagram and each connection goes to the next of them. It ends with the
 *  test. */
export async function startTurningDns(t: Test, servers: readonly Endpoint[]): Promise<Endpoint> {
  let turn = 0
  const next = () => servers[turn++ % servers.length] as Endpoint
  const tcp = createServer(client => {
    const server = createConnection(next())
    client.pipe(server).pipe(client)
    client.on('error', () => server.destroy()).on('close', () => server.destroy())
    server.on('error', () => client.destroy()).on('close', () => client.destroy())
  })
  tcp.listen(0, '127.0.0.1')
  await once(tcp, 'listening')
  t.teardown(() => tcp.close())
  const { port } = tcp.address() as { port: number }
  const udp = createSocket('udp4')
  udp.bind(port, '127.0.0.1')
  await once(udp, 'listening')
  t.teardown(() => udp.close())
  const asking = new Set<DatagramSocket>()
  t.teardown(() => {
    for (const socket of asking) socket.close()
  })
  udp.on('message', (message, { address, port: clientPort }) => {
    const { host, port: serverPort } = next()
    const socket = createSocket('udp4')
    asking.add(socket)
    socket.on('message', reply => udp.send(reply, clientPort, address))
    socket.send(message, serverPort, host)
  })
  return { host: '127.0.0.1', port }
}
