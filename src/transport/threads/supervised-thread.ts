import { extname } from 'node:path'
import { type ResourceLimits, type Transferable, Worker } from 'node:worker_threads'
import type { HandedRequest } from '../answer.ts'
import type { AnsweringOptions, ThreadMessage, WayBack } from './thread-data.ts'

/** The data for one life of a thread. */
export type ThreadLife = {
  readonly data: unknown
  /** The parts of the data that are transferred to the thread. */
  readonly transferList?: readonly Transferable[]
  /** Releases what the thread held; called once, when it has ended. */
  readonly release: () => void
}

export type SupervisedThreadOptions = Pick<AnsweringOptions, 'report' | 'onNotify'> & {
  /** The module to run, beside this one, without its extension. */
  readonly module: string
  readonly resourceLimits: ResourceLimits
  readonly beginLife: () => ThreadLife
  readonly askToEnd: (worker: Worker) => void
  /** The time that the thread may take to end once it is asked to. */
  readonly endTimeoutMs: number
  readonly onHanded: (request: HandedRequest, way: WayBack, worker: Worker) => void
}

/** A thread that has lived this long did not die because of its start. */
const soundLifeMs = 10_000
const firstDelayMs = 100
const longestDelayMs = 5_000

/** The number of restarts of threads in this process. */
let restartCount = 0

export function threadRestartCount(): number {
  return restartCount
}

/** A thread that is restarted when it dies: at once and, if it keeps dying, after increasing delays. */
export class SupervisedThread {
  readonly #options: SupervisedThreadOptions
  /** Settles when the current life is at work, or when no further life will follow. */
  #ready = Promise.withResolvers<void>()
  #worker: Worker | undefined
  #exited: Promise<void> = Promise.resolve()
  #reply: PromiseWithResolvers<unknown> | undefined
  #restartTimer: NodeJS.Timeout | undefined
  #deathsInARow = 0
  #wasReady = false
  #isAtWork = false
  #isClosing = false

  private constructor(options: SupervisedThreadOptions) {
    this.#options = options
  }

  /** Resolves when the thread is at work.
   *  @throws Error why it died before that; then it is not restarted. */
  static async start(options: SupervisedThreadOptions): Promise<SupervisedThread> {
    const thread = new SupervisedThread(options)
    thread.#begin()
    await thread.#ready.promise
    return thread
  }

  /** Sends a message and resolves with the reply, once the thread is at work. One at a time.
   *  @throws Error the thread died before it replied. */
  async request(message: unknown): Promise<unknown> {
    await this.#ready.promise
    this.#reply = Promise.withResolvers()
    this.#worker?.postMessage(message)
    return this.#reply.promise
  }

  /** Asks the thread to end and resolves when it has. Idempotent. */
  async close(): Promise<void> {
    const isAsked = this.#isClosing
    this.#isClosing = true
    clearTimeout(this.#restartTimer)
    const worker = this.#worker
    if (isAsked || worker === undefined) {
      await this.#exited
      return
    }
    const { askToEnd, endTimeoutMs } = this.#options
    askToEnd(worker)
    const deadline = setTimeout(() => void worker.terminate(), endTimeoutMs)
    await this.#exited
    clearTimeout(deadline)
  }

  #begin(): void {
    try {
      const life = this.#options.beginLife()
      this.#exited = this.#live(life)
    } catch (error) {
      this.#die(error)
    }
  }

  #live({ data, transferList = [], release }: ThreadLife): Promise<void> {
    const { module, resourceLimits } = this.#options
    // Sources run unbuilt; built files have another extension.
    const file = new URL(module + extname(import.meta.filename), import.meta.url)
    const worker = new Worker(file, {
      workerData: data,
      transferList: [...transferList],
      resourceLimits,
    })
    this.#worker = worker
    const bornAtMs = performance.now()
    let cause: unknown
    worker.on('message', (message: ThreadMessage) => this.#hear(message, worker))
    worker.on('error', error => {
      cause = error
    })
    return new Promise(resolve => {
      worker.on('exit', () => {
        release()
        if (performance.now() - bornAtMs >= soundLifeMs) this.#deathsInARow = 0
        if (!this.#isClosing) this.#die(cause)
        resolve()
      })
    })
  }

  #hear(message: ThreadMessage, worker: Worker): void {
    switch (message.kind) {
      case 'defect':
        this.#options.report(message.error)
        break
      case 'reply':
        this.#reply?.resolve(message.value)
        break
      case 'notified':
        this.#options.onNotify(message.event)
        break
      case 'handed':
        this.#options.onHanded(message.request, message.way, worker)
        break
      case 'ready':
        this.#wasReady = true
        this.#isAtWork = true
        this.#ready.resolve()
    }
  }

  #die(cause: unknown): void {
    this.#reply?.reject(cause)
    if (!this.#wasReady) {
      this.#ready.reject(cause ?? new Error('a thread ended before it was at work'))
      return
    }
    // A caller that waits for a life that died before it was at work waits for the next one.
    if (this.#isAtWork) this.#rest()
    const delayMs = this.#restartDelayMs()
    restartCount += 1
    this.#options.report(
      new Error(`a thread ended and is started again in ${delayMs} ms`, { cause }),
    )
    this.#deathsInARow += 1
    this.#restartTimer = setTimeout(() => this.#begin(), delayMs)
  }

  #rest(): void {
    this.#isAtWork = false
    this.#ready = Promise.withResolvers()
  }

  #restartDelayMs(): number {
    if (this.#deathsInARow === 0) return 0
    return Math.min(firstDelayMs * 2 ** (this.#deathsInARow - 1), longestDelayMs)
  }
}
