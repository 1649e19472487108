import { type ResourceLimits, type TransferListItem, Worker } from 'node:worker_threads'
import { Semaphore } from '../semaphore.ts'
import type { WorkerReply, WorkerRequest } from './serve-tasks.ts'

/** A task failed because its thread ended. */
export class WorkerDiedError extends Error {
  override readonly name = 'WorkerDiedError'
}

export type WorkerPoolOptions = {
  /** A module that calls `serveTasks`. */
  readonly module: URL
  /** Tasks beyond this number wait, keys in turn. */
  readonly maxThreads: number
  /** How long a thread waits for its next task before it ends. */
  readonly idleMs?: number
  readonly resourceLimits?: ResourceLimits
}

const defaultIdleMs = 10_000

/** Threads that are started when there is work and end when there is none. A thread runs one task at a time, so an event
 *  that ends it, such as excessive memory use, fails only that task. */
export class WorkerPool {
  readonly #options: WorkerPoolOptions
  readonly #turns: Semaphore
  readonly #idle: PoolThread[] = []
  readonly #threads = new Set<PoolThread>()
  #isClosed = false

  constructor(options: WorkerPoolOptions) {
    this.#options = options
    this.#turns = new Semaphore({ maxRunning: options.maxThreads })
  }

  get threadCount(): number {
    return this.#threads.size
  }

  /** @param transfer memory that is transferred
   *  @throws WorkerDiedError; any error of the task */
  run(
    key: string,
    request: WorkerRequest,
    transfer: readonly TransferListItem[] = [],
  ): Promise<unknown> {
    return this.#turns.run(key, async () => {
      if (this.#isClosed) throw new WorkerDiedError('the server stops')
      const thread = this.#idle.pop() ?? this.#begin()
      return thread.run(request, transfer)
    })
  }

  /** Ends all threads; their tasks fail. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#threads].map(thread => thread.end()))
  }

  #begin(): PoolThread {
    const thread = new PoolThread(this.#options, {
      onIdle: () => this.#idle.push(thread),
      // A thread that is ending must not get a task.
      onLeave: () => {
        const at = this.#idle.indexOf(thread)
        if (at >= 0) this.#idle.splice(at, 1)
      },
      onEnd: () => this.#threads.delete(thread),
    })
    this.#threads.add(thread)
    return thread
  }
}

type ThreadEvents = {
  readonly onIdle: () => unknown
  /** Called when the thread takes no more tasks. */
  readonly onLeave: () => void
  readonly onEnd: () => unknown
}

class PoolThread {
  readonly #worker: Worker
  readonly #exited: Promise<unknown>
  readonly #idleMs: number
  readonly #events: ThreadEvents
  /** The answer to the task that it runs. */
  #reply: PromiseWithResolvers<unknown> | undefined
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
      const reply = this.#reply
      this.#reply = undefined
      this.#waitForWork()
      events.onIdle()
      if ('error' in message) reply?.reject(message.error)
      else reply?.resolve(message.value)
    })
    this.#exited = new Promise<void>(resolve => {
      this.#worker.on('exit', () => {
        clearTimeout(this.#idleTimer)
        events.onLeave()
        events.onEnd()
        this.#reply?.reject(new WorkerDiedError(reasonOf(cause), { cause }))
        resolve()
      })
    })
  }

  async run(request: WorkerRequest, transfer: readonly TransferListItem[]): Promise<unknown> {
    clearTimeout(this.#idleTimer)
    const reply = Promise.withResolvers<unknown>()
    this.#reply = reply
    this.#worker.ref()
    try {
      this.#worker.postMessage(request, transfer)
    } catch (error) {
      // A value that cannot be cloned or transferred is the caller's error; the thread has not received anything.
      this.#reply = undefined
      this.#waitForWork()
      this.#events.onIdle()
      throw error
    }
    return reply.promise
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
