import { availableParallelism } from 'node:os'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { type FileSystem, realFiles } from '../durable/file-system.ts'
import type { DocumentRequest } from './document-thread.ts'
import { type FoundPacked, readPacked } from './zone-documents.ts'

/** Before a thread is at work, so many documents have been read without. */
const documentsWithoutThreads = 64
/** More would wait for who takes in what they have read. */
const maxThreads = 3

/** Reads documents of zones. That is a third of what a start with many of them takes, and threads do it then, beside the
 *  one that takes their rows in. */
export class DocumentReader {
  readonly #files: FileSystem
  readonly #threadCount: number
  #threads: DocumentThread[] | undefined
  #readCount = 0

  constructor(files: FileSystem, threadCount: number = usualThreadCount(files)) {
    this.#files = files
    this.#threadCount = threadCount
  }

  /** Returns what was found in each place. */
  async read(paths: readonly string[]): Promise<readonly FoundPacked[]> {
    this.#readCount += paths.length
    const thread = this.#readCount > documentsWithoutThreads ? this.#idlest() : undefined
    const found = await thread?.read(paths)
    return found ?? readPacked(this.#files, paths)
  }

  /** To be called when all is read. */
  async close(): Promise<void> {
    await Promise.all(this.#threads?.map(thread => thread.close()) ?? [])
  }

  #idlest(): DocumentThread | undefined {
    this.#threads ??= Array.from({ length: this.#threadCount }, () => new DocumentThread())
    const [first, ...others] = this.#threads.filter(({ isThere }) => isThere)
    return others.reduce((a, b) => (a && a.load <= b.load ? a : b), first)
  }
}

/** A thread only sees the machine's files. On one processor it would only cost. */
function usualThreadCount(files: FileSystem): number {
  const count = Math.min(availableParallelism(), maxThreads)
  return files === realFiles && count > 1 ? count : 0
}

type Reply = PromiseWithResolvers<readonly FoundPacked[] | undefined>

class DocumentThread {
  readonly #worker: Worker
  readonly #replies = new Map<number, Reply>()
  #lastNumber = 0
  isThere = true

  constructor() {
    // Sources run as they are; what is built from them has another extension.
    const file = `./document-thread${extname(import.meta.filename)}`
    this.#worker = new Worker(new URL(file, import.meta.url))
    this.#worker.on('message', ({ number, found }) => this.#settle(number, found))
    // Whatever has ended it, what it was to read can be read without.
    this.#worker.on('error', () => undefined)
    this.#worker.on('exit', () => {
      this.isThere = false
      for (const number of this.#replies.keys()) this.#settle(number, undefined)
    })
  }

  /** How much is asked of it. */
  get load(): number {
    return this.#replies.size
  }

  /** Resolves with undefined where the thread has ended. */
  read(paths: readonly string[]): Promise<readonly FoundPacked[] | undefined> {
    this.#lastNumber += 1
    const reply: Reply = Promise.withResolvers()
    this.#replies.set(this.#lastNumber, reply)
    const request: DocumentRequest = { number: this.#lastNumber, paths }
    this.#worker.postMessage(request)
    return reply.promise
  }

  async close(): Promise<void> {
    await this.#worker.terminate()
  }

  #settle(number: number, found: readonly FoundPacked[] | undefined): void {
    this.#replies.get(number)?.resolve(found)
    this.#replies.delete(number)
  }
}
