import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { flags, opcodeFlags, opcodeOf } from '../../src/dns/header.ts'
import { decodeMessage, encodeMessage, type Message } from '../../src/dns/message.ts'

type Replies = (request: Message, attempt: number) => readonly Uint8Array[]

/** A name server on its own port that returns the responses that a test sets. */
export async function serverSaying(t: { teardown(step: () => void): void }, replies: Replies) {
  const socket: Socket = createSocket('udp4')
  t.teardown(() => socket.close())
  const requests: Message[] = []
  socket.on('message', (octets: Uint8Array, peer: RemoteInfo) => {
    const request = decodeMessage(octets)
    requests.push(request)
    for (const reply of replies(request, requests.length))
      socket.send(reply, peer.port, peer.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const { address: host, port } = socket.address()
  return { server: { host, port }, requests }
}

/** An answer to a request, with authority by default. */
export function replyTo(
  request: Message,
  changes: Partial<Message> & { flags?: number; id?: number } = {},
) {
  const { flags: more = flags.authoritative, id = request.header.id, ...sections } = changes
  const opcode = opcodeFlags(opcodeOf(request.header.flags))
  return encodeMessage({
    ...request,
    ...sections,
    header: { id, flags: flags.response | opcode | more },
  })
}
