import { type ResourceLimits, type TransferListItem, Worker } from 'node:worker_threads'
import type { WorkerReply, WorkerRequest } from './serve-tasks.ts'

/** A task came to nothing because its thread ended. */
export class WorkerDiedError extends Error {
  override readonly name = 'WorkerDiedError'
}

export type WorkerPoolOptions = {
  /** A module that calls `serveTasks`. */
  readonly module: URL
  /** Tasks above these wait for their turn. */
  readonly maxThreads: number
  /** How long a thread waits for its next task before it ends. */
  readonly idleMs?: number
  readonly resourceLimits?: ResourceLimits
}

const defaultIdleMs = 10_000

type Waiting = {
  readonly request: WorkerRequest
  readonly transfer: readonly TransferListItem[]
  readonly reply: PromiseWithResolvers<unknown>
}

/** Threads that are started when there is work for them and end when there is none. A thread does one task at a time, so
 *  what ends it, as too much memory, fails one task. */
export class WorkerPool {
  readonly #options: WorkerPoolOptions
  readonly #queue: Waiting[] = []
  readonly #idle: PoolThread[] = []
  readonly #threads = new Set<PoolThread>()
  #isClosed = false

  constructor(options: WorkerPoolOptions) {
    this.#options = options
  }

  get threadCount(): number {
    return this.#threads.size
  }

  /** @param transfer memory that is given away
   *  @throws WorkerDiedError; whatever the task throws */
  run(task: string, input: unknown, transfer: readonly TransferListItem[] = []): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(new WorkerDiedError('the server stops'))
    const reply = Promise.withResolvers<unknown>()
    this.#queue.push({ request: { task, input }, transfer, reply })
    this.#next()
    return reply.promise
  }

  /** Ends all threads; what they were at fails. */
  async close(): Promise<void> {
    this.#isClosed = true
    const error = new WorkerDiedError('the server stops')
    for (const { reply } of this.#queue.splice(0)) reply.reject(error)
    await Promise.all([...this.#threads].map(thread => thread.end()))
  }

  #next(): void {
    const { maxThreads } = this.#options
    while (this.#queue.length > 0) {
      const thread = this.#idle.pop() ?? (this.#threads.size < maxThreads && this.#begin())
      if (!thread) return
      const work = this.#queue.shift() as Waiting
      thread.run(work)
    }
  }

  #begin(): PoolThread {
    const thread = new PoolThread(this.#options, {
      onIdle: () => {
        this.#idle.push(thread)
        this.#next()
      },
      // No task may meet a thread on its way out.
      onLeave: () => {
        const at = this.#idle.indexOf(thread)
        if (at >= 0) this.#idle.splice(at, 1)
      },
      onEnd: () => {
        this.#threads.delete(thread)
        if (!this.#isClosed) this.#next()
      },
    })
    this.#threads.add(thread)
    return thread
  }
}

type ThreadEvents = {
  readonly onIdle: () => void
  /** It takes no more tasks. */
  readonly onLeave: () => void
  readonly onEnd: () => void
}

class PoolThread {
  readonly #worker: Worker
  readonly #exited: Promise<unknown>
  readonly #idleMs: number
  readonly #events: ThreadEvents
  #work: Waiting | undefined
  #idleTimer: NodeJS.Timeout | undefined

  constructor(
    { module, resourceLimits, idleMs = defaultIdleMs }: WorkerPoolOptions,
    events: ThreadEvents,
  ) {
    this.#idleMs = idleMs
    this.#events = events
    this.#worker = new Worker(module, resourceLimits === undefined ? {} : { resourceLimits })
    let cause: unknown
    this.#worker.on('error', error => {
      cause = error
    })
    this.#worker.on('message', (message: WorkerReply) => {
      const work = this.#work
      this.#work = undefined
      this.#waitForWork()
      if ('error' in message) work?.reply.reject(message.error)
      else work?.reply.resolve(message.value)
      events.onIdle()
    })
    this.#exited = new Promise<void>(resolve => {
      this.#worker.on('exit', () => {
        clearTimeout(this.#idleTimer)
        events.onLeave()
        events.onEnd()
        this.#work?.reply.reject(new WorkerDiedError(reasonOf(cause), { cause }))
        resolve()
      })
    })
  }

  run(work: Waiting): void {
    clearTimeout(this.#idleTimer)
    this.#work = work
    this.#worker.ref()
    try {
      this.#worker.postMessage(work.request, work.transfer)
    } catch (error) {
      // What cannot be cloned or given away is the caller's mistake; the thread knows nothing of it.
      this.#work = undefined
      this.#waitForWork()
      work.reply.reject(error)
      this.#events.onIdle()
    }
  }

  async end(): Promise<void> {
    await this.#worker.terminate()
    await this.#exited
  }

  #waitForWork(): void {
    this.#worker.unref()
    this.#idleTimer = setTimeout(() => {
      this.#events.onLeave()
      void this.#worker.terminate()
    }, this.#idleMs)
    this.#idleTimer.unref()
  }
}

function reasonOf(cause: unknown): string {
  const isFull = cause instanceof Error && 'code' in cause && cause.code === outOfMemory
  return isFull ? 'it takes more memory than a thread may have' : 'its thread has ended'
}

const outOfMemory = 'ERR_WORKER_OUT_OF_MEMORY'
