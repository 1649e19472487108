import type { ListenAddress, Report } from '../answer.ts'
import type { TcpLimits } from '../tcp.ts'
import type { TcpEngine } from '../tcp-engine.ts'
import { SupervisedThread } from './supervised-thread.ts'
import type { ListenReply, Seat, TcpRequest, TcpThreadData } from './thread-data.ts'

export type ThreadedTcpOptions = {
  readonly takeSeat: () => Seat
  /** What answers from a seat: the URL of a module with an `openResponder`. */
  readonly responder: string
  readonly limits: Partial<TcpLimits>
  readonly report: Report
}

/** A connection takes some 4 kB of the heap, and answers in the making more. */
const resourceLimits = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 512 }
/** Beyond the deadlines of a connection. */
const endTimeoutMs = 15_000

/** TCP answered by a thread of its own, so that a change to the zones or a call of the API holds up no query, nor
 *  a flood of queries them. */
export class ThreadedTcp implements TcpEngine {
  readonly #addresses: ListenAddress[]
  readonly #thread: SupervisedThread

  private constructor(addresses: ListenAddress[], thread: SupervisedThread) {
    this.#addresses = addresses
    this.#thread = thread
  }

  /** @throws Error the thread cannot be started. */
  static async start(options: ThreadedTcpOptions): Promise<ThreadedTcp> {
    const { takeSeat, responder: module, limits, report } = options
    const addresses: ListenAddress[] = []
    const thread = await SupervisedThread.start({
      module: './tcp-thread',
      resourceLimits,
      beginLife: () => {
        const seat = takeSeat()
        const responder = { module, handle: seat.handle }
        const data: TcpThreadData = { addresses, responder, limits }
        return { data, release: () => seat.close() }
      },
      askToEnd: worker => worker.postMessage({ kind: 'end' } satisfies TcpRequest),
      endTimeoutMs,
      report,
    })
    return new ThreadedTcp(addresses, thread)
  }

  async listen(wanted: ListenAddress): Promise<ListenAddress> {
    const request: TcpRequest = { kind: 'listen', address: wanted }
    const reply = (await this.#thread.request(request)) as ListenReply
    if (reply.kind === 'refused')
      throw Object.assign(new Error(reply.message), { code: reply.code })
    this.#addresses.push(reply.address)
    return reply.address
  }

  close(): Promise<void> {
    return this.#thread.close()
  }
}
