import type { HandedRequest, OnNotify, Report } from '../answer.ts'
import type { DatagramSocket } from './datagram-socket.ts'
import { SupervisedThread } from './supervised-thread.ts'
import type { OpenReader, UdpThreadData, WayBack } from './thread-data.ts'
import {
  type DatagramCounters,
  newThreadMemory,
  sumCounters,
  type ThreadMemory,
} from './thread-memory.ts'

export type UdpThreadsOptions = {
  /** The sockets of each thread. The caller keeps owning them, so requests that arrive while a thread is restarted wait
   *  in them, and they may be closed only after the threads. */
  readonly sockets: readonly (readonly DatagramSocket[])[]
  readonly openReader: () => OpenReader
  /** The code that answers from a reader: the URL of a module with an `openResponder`. */
  readonly responder: string
  readonly report: Report
  readonly onNotify: OnNotify
  readonly onHanded: (request: HandedRequest, way: WayBack) => void
}

/** Answering makes almost no garbage, so a small heap suffices, and collecting it takes almost no time. */
const resourceLimits = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 128 }
/** The batches that may have arrived are answered in a tenth of this time. */
const endTimeoutMs = 2_000

/** Threads that answer UDP, each through its own sockets. */
export class UdpThreads {
  readonly #threads: readonly SupervisedThread[]
  readonly #memories: readonly ThreadMemory[]

  private constructor(threads: readonly SupervisedThread[], memories: readonly ThreadMemory[]) {
    this.#threads = threads
    this.#memories = memories
  }

  /** Resolves when all threads are at work.
   *  @throws Error one cannot be started; then none is left running. */
  static async start(options: UdpThreadsOptions): Promise<UdpThreads> {
    const places = options.sockets.map(sockets => ({ sockets, memory: newThreadMemory() }))
    const starts = await Promise.allSettled(places.map(place => startThread(options, place)))
    const threads = starts.flatMap(start => (start.status === 'fulfilled' ? [start.value] : []))
    const started = new UdpThreads(
      threads,
      places.map(({ memory }) => memory),
    )
    const failure = starts.find(start => start.status === 'rejected')
    if (failure === undefined) return started
    await started.close()
    throw failure.reason
  }

  /** The sums over all threads and all their lives since the start. */
  get counters(): DatagramCounters {
    return sumCounters(this.#memories)
  }

  /** Resolves when the received requests are answered and the threads have ended. Idempotent. */
  async close(): Promise<void> {
    await Promise.all(this.#threads.map(thread => thread.close()))
  }
}

function startThread(
  { openReader, responder: module, report, onNotify, onHanded }: UdpThreadsOptions,
  { sockets, memory }: Pick<UdpThreadData, 'sockets' | 'memory'>,
): Promise<SupervisedThread> {
  return SupervisedThread.start({
    module: './udp-thread',
    resourceLimits,
    beginLife: () => {
      Atomics.store(memory.ending, 0, 0)
      const reader = openReader()
      const data: UdpThreadData = { sockets, memory, responder: { module, handle: reader.handle } }
      return { data, release: () => reader.close() }
    },
    askToEnd: () => Atomics.store(memory.ending, 0, 1),
    endTimeoutMs,
    report,
    onNotify,
    onHanded,
  })
}
