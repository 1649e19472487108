import { type ResourceLimits, type TransferListItem, Worker } from 'node:worker_threads'
import type { WorkerReply, WorkerRequest } from './serve-tasks.ts'

/** A task failed because its thread ended. */
export class WorkerDiedError extends Error {
  override readonly name = 'WorkerDiedError'
}

export type WorkerPoolOptions = {
  /** A module that calls `serveTasks`. */
  readonly module: URL
  /** Tasks beyond this number wait in order. */
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

/** Threads that are started when there is work and end when there is none. A thread runs one task at a time, so an event
 *  that ends it, such as excessive memory use, fails only that task. */
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

  /** @param transfer memory that is transferred
   *  @throws WorkerDiedError; any error of the task */
  run(task: string, input: unknown, transfer: readonly TransferListItem[] = []): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(new WorkerDiedError('the server stops'))
    const reply = Promise.withResolvers<unknown>()
    this.#queue.push({ request: { task, input }, transfer, reply })
    this.#next()
    return reply.promise
  }

  /** Ends all threads; their tasks fail. */
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
      // A thread that is ending must not get a task.
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
  /** Called when the thread takes no more tasks. */
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
      // A value that cannot be cloned or transferred is the caller's error; the thread has not received anything.
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
