import { MessageChannel, type MessagePort } from 'node:worker_threads'
import type { ListenAddress } from '../answer.ts'
import type { Protocol, TcpLimits } from '../tcp.ts'
import type { EngineTls, TcpEngine } from '../tcp-engine.ts'
import type { TlsCredentials } from '../tls-gate.ts'
import type { OfferTransfer } from '../transfers.ts'
import { SupervisedThread } from './supervised-thread.ts'
import type {
  AnsweringOptions,
  Listening,
  ListenReply,
  TcpRequest,
  TcpThreadData,
} from './thread-data.ts'
import { serveTransfers } from './transfer-port.ts'

export type ThreadedTcpOptions = AnsweringOptions & {
  readonly limits?: Partial<TcpLimits>
  readonly tls?: EngineTls | undefined
  readonly offerTransfer?: OfferTransfer | undefined
}

/** A connection takes some 4 kB of the heap, and more while answers are being made. */
const resourceLimits = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 512 }
/** Longer than the deadlines of a connection. */
const endTimeoutMs = 15_000

/** The state that a thread's successor is given; the thread itself keeps none. */
type Memory = { readonly addresses: Listening[]; tls: EngineTls | undefined }

/** TCP answered by a separate thread, so that changes to the zones and API calls do not delay queries, nor floods of
 *  queries delay them. */
export class ThreadedTcp implements TcpEngine {
  readonly #memory: Memory
  readonly #thread: SupervisedThread

  private constructor(memory: Memory, thread: SupervisedThread) {
    this.#memory = memory
    this.#thread = thread
  }

  /** @throws Error the thread cannot be started. */
  static async start(options: ThreadedTcpOptions): Promise<ThreadedTcp> {
    const { openReader, responder: module, limits = {}, report, onNotify, onHanded } = options
    const memory: Memory = { addresses: [], tls: options.tls }
    const thread = await SupervisedThread.start({
      module: './tcp-thread',
      resourceLimits,
      beginLife: () => {
        const reader = openReader()
        const responder = { module, handle: reader.handle }
        const { port, close } = openTransferPort(options.offerTransfer)
        const data: TcpThreadData = { ...memory, responder, limits, transferPort: port }
        const release = () => {
          reader.close()
          close()
        }
        return { data, transferList: port ? [port] : [], release }
      },
      askToEnd: worker => worker.postMessage({ kind: 'end' } satisfies TcpRequest),
      endTimeoutMs,
      report,
      onNotify,
      onHanded(request, way, worker) {
        if (!('number' in way)) return
        const { number } = way
        onHanded?.(request, response =>
          worker.postMessage({ kind: 'updated', number, response } satisfies TcpRequest),
        )
      },
    })
    return new ThreadedTcp(memory, thread)
  }

  async listen(wanted: ListenAddress, protocol: Protocol = 'dns'): Promise<ListenAddress> {
    const request: TcpRequest = { kind: 'listen', address: wanted, protocol }
    const reply = (await this.#thread.request(request)) as ListenReply
    if (reply.kind === 'refused')
      throw Object.assign(new Error(reply.message), { code: reply.code })
    this.#memory.addresses.push({ address: reply.address, protocol })
    return reply.address
  }

  async renew(credentials: TlsCredentials): Promise<void> {
    const { tls } = this.#memory
    if (tls === undefined) return
    // Set first, so that if the thread dies of this, its successor has the new certificate.
    this.#memory.tls = { ...tls, credentials }
    await this.#thread.request({ kind: 'renew', credentials } satisfies TcpRequest)
  }

  close(): Promise<void> {
    return this.#thread.close()
  }
}

/** Opens the port through which one life of the thread requests zones. */
function openTransferPort(offer: OfferTransfer | undefined): {
  readonly port: MessagePort | undefined
  close(): void
} {
  if (offer === undefined) return { port: undefined, close: () => undefined }
  const { port1, port2 } = new MessageChannel()
  return { port: port2, close: serveTransfers(port1, offer) }
}
