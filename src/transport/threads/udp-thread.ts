import { workerData } from 'node:worker_threads'
import { NotifyThrottle } from '../notify-throttle.ts'
import { AnsweringLoop } from './answering-loop.ts'
import { BatchSocket } from './batch-socket.ts'
import { newDatagramBuffers } from './datagram-buffers.ts'
import { receiveTimeoutMs } from './datagram-socket.ts'
import { createReport, openResponder, say } from './inside-thread.ts'
import { SocketPoll } from './socket-poll.ts'
import { openSystemCalls } from './system-calls.ts'
import type { UdpThreadData } from './thread-data.ts'

// The code of a thread that answers UDP. It does not return to its event loop until it ends: it reads the main
// thread's requests from shared memory, and only sends messages.

async function main({ sockets, responder, memory }: UdpThreadData): Promise<void> {
  const report = createReport()
  const calls = await openSystemCalls()
  const buffers = newDatagramBuffers()
  const descriptors = sockets.map(({ descriptor }) => descriptor)
  const loop = new AnsweringLoop({
    sockets: sockets.map(socket => new BatchSocket({ calls, socket, buffers })),
    poll: new SocketPoll(calls, descriptors, receiveTimeoutMs),
    buffers,
    responder: await openResponder(responder, report),
    memory,
    report,
    handOn: (request, way) => say({ kind: 'handed', request, way }),
    throttle: new NotifyThrottle({ tell: event => say({ kind: 'notified', event }) }),
  })
  say({ kind: 'ready' })
  loop.run()
}

await main(workerData as UdpThreadData)
