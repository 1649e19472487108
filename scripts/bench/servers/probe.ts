import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { rcodes } from '../../../src/dns/codes.ts'
import { decodeMessage } from '../../../src/dns/message.ts'
import { queryFor } from '../../../test/helpers/ask.ts'
import { host, type RunningServer } from './running.ts'

const patienceMs = 200

/** Whether the server has an answer to the question, such as `host1.example. A`. */
export async function answers(server: RunningServer, question: string): Promise<boolean> {
  const socket = createSocket('udp4')
  try {
    socket.connect(server.port, host)
    await once(socket, 'connect')
    socket.send(queryFor(question))
    const [response] = await once(socket, 'message', { signal: AbortSignal.timeout(patienceMs) })
    const { header, answers } = decodeMessage(response as Buffer)
    return (header.flags & 0xf) === rcodes.noError && answers.length > 0
  } catch {
    // The server does not listen yet, or does not answer in time.
    return false
  } finally {
    socket.close()
  }
}
