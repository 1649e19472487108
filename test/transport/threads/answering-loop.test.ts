import t from 'tap'
import { NotifyThrottle } from '../../../src/transport/notify-throttle.ts'
import { AnsweringLoop } from '../../../src/transport/threads/answering-loop.ts'
import type { BatchSocket } from '../../../src/transport/threads/batch-socket.ts'
import { newDatagramBuffers } from '../../../src/transport/threads/datagram-buffers.ts'
import type { SocketPoll } from '../../../src/transport/threads/socket-poll.ts'
import { newThreadMemory, sumCounters } from '../../../src/transport/threads/thread-memory.ts'
import { openResponder } from '../../helpers/echo-responder.ts'

// The loop over sockets that are made up; `answering-thread.test.ts` has it over real ones.

type Script = { readonly name: string; batches: number; readonly isForged?: boolean }

function run(scripts: readonly Script[], { waits }: { readonly waits: number }) {
  const memory = newThreadMemory()
  const log: string[] = []
  const sockets = scripts.map(script => {
    const socket: Partial<BatchSocket> = {
      receive: () => {
        if (script.batches === 0) return 0
        script.batches -= 1
        log.push(script.name)
        return 1
      },
      requestOctets: () => 5,
      isAnswerable: () => script.isForged !== true,
      keep: () => undefined,
      send: count => count,
    }
    return socket as BatchSocket
  })
  let waitsLeft = waits
  const poll: Partial<SocketPoll> = {
    wait: () => {
      waitsLeft -= 1
      if (waitsLeft === 0) Atomics.store(memory.ending, 0, 1)
      return 1
    },
    isReady: () => true,
  }
  if (waits === 0) Atomics.store(memory.ending, 0, 1)
  const loop = new AnsweringLoop({
    sockets,
    poll: poll as SocketPoll,
    buffers: newDatagramBuffers(),
    responder: openResponder(''),
    memory,
    report: error => t.error(error),
    handOn: () => undefined,
    throttle: new NotifyThrottle({ tell: notice => t.fail(notice.zone) }),
  })
  loop.run()
  return { log, counters: sumCounters([memory]) }
}

t.test('a busy socket does not keep the others waiting', async t => {
  const scripts = [
    { name: 'busy', batches: 30 },
    { name: 'calm', batches: 1 },
  ]
  const { log } = run(scripts, { waits: 2 })
  t.strictSame(log.slice(0, 10), [...Array(8).fill('busy'), 'calm', 'busy'])
})

t.test('at the end what has arrived is answered, but not for ever', async t => {
  const scripts = [
    { name: 'flooded', batches: Number.POSITIVE_INFINITY },
    { name: 'calm', batches: 3 },
  ]
  const { log, counters } = run(scripts, { waits: 0 })
  t.strictSame(log.slice(-4), ['flooded', 'calm', 'calm', 'calm'])
  t.equal(counters.sentCount, log.length)
})

t.test('what cannot be answered is not, and counted', async t => {
  const { counters } = run([{ name: 'forged', batches: 4, isForged: true }], { waits: 0 })
  t.strictSame(counters, {
    receivedCount: 4,
    sentCount: 0,
    silentCount: 4,
    unsentCount: 0,
    failedCount: 0,
    batchCount: 4,
  })
})
