import { parentPort, workerData } from 'node:worker_threads'
import { type Answer, answerFrom, type Respond } from '../answer.ts'
import { EventLoopTcp, type TcpEngine } from '../tcp-engine.ts'
import { Transfers } from '../transfers.ts'
import { DeepInlining } from './deep-inlining.ts'
import { createReport, openResponder, say } from './inside-thread.ts'
import type { Listening, ListenReply, TcpRequest, TcpThreadData } from './thread-data.ts'
import { offersBy } from './transfer-port.ts'

// The code of a thread that answers TCP: listeners on an event loop of their own.

const restMs = 1_000

async function main({
  addresses,
  responder,
  limits,
  tls,
  transferPort,
}: TcpThreadData): Promise<void> {
  const report = createReport()
  const updates = new Map<number, Respond>()
  let lastNumber = 0
  const answerOne: Answer = answerFrom(
    await openResponder(responder, report),
    event => say({ kind: 'notified', event }),
    (request, respond) => {
      lastNumber += 1
      updates.set(lastNumber, respond)
      say({ kind: 'handed', request, way: { number: lastNumber } })
    },
  )
  const inlining = new DeepInlining()
  setInterval(() => inlining.rest(), restMs).unref()
  const answer: Answer = Object.assign(
    (...[request, transport, buffer, address, later, isEncrypted]: Parameters<Answer>) => {
      inlining.answered(1)
      return answerOne(request, transport, buffer, address, later, isEncrypted)
    },
    { together: answerOne.together },
  )
  const transfers = transferPort && new Transfers(offersBy(transferPort))
  const engine = new EventLoopTcp({ answer, report, limits, tls, transfers })
  for (const { address, protocol } of addresses) await engine.listen(address, protocol)
  parentPort?.on('message', async (request: TcpRequest) => {
    switch (request.kind) {
      case 'listen':
        say({ kind: 'reply', value: await listen(engine, request) })
        break
      case 'renew':
        await engine.renew(request.credentials)
        say({ kind: 'reply', value: undefined })
        break
      case 'updated':
        updates.get(request.number)?.(request.response)
        updates.delete(request.number)
        break
      case 'end':
        await engine.close()
        // The open port is the last thing that keeps this thread alive.
        parentPort?.close()
    }
  })
  say({ kind: 'ready' })
}

async function listen(engine: TcpEngine, { address, protocol }: Listening): Promise<ListenReply> {
  try {
    return { kind: 'listening', address: await engine.listen(address, protocol) }
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException
    return { kind: 'refused', message, code }
  }
}

await main(workerData as TcpThreadData)
