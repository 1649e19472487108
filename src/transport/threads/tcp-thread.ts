import { parentPort, workerData } from 'node:worker_threads'
import { type Answer, answerFrom, type ListenAddress } from '../answer.ts'
import { EventLoopTcp, type TcpEngine } from '../tcp-engine.ts'
import { createReport, openResponder, say } from './inside-thread.ts'
import type { ListenReply, TcpRequest, TcpThreadData } from './thread-data.ts'

// What the thread that answers TCP runs: listeners on an event loop that nothing else is on.

async function main({ addresses, responder, limits }: TcpThreadData): Promise<void> {
  const report = createReport()
  const answer: Answer = answerFrom(await openResponder(responder, report))
  const engine = new EventLoopTcp({ answer, report, limits })
  for (const address of addresses) await engine.listen(address)
  parentPort?.on('message', async (request: TcpRequest) => {
    if (request.kind === 'listen') {
      say({ kind: 'reply', value: await listen(engine, request.address) })
      return
    }
    await engine.close()
    // The last thing that keeps this thread alive.
    parentPort?.close()
  })
  say({ kind: 'ready' })
}

async function listen(engine: TcpEngine, address: ListenAddress): Promise<ListenReply> {
  try {
    return { kind: 'listening', address: await engine.listen(address) }
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException
    return { kind: 'refused', message, code }
  }
}

await main(workerData as TcpThreadData)
