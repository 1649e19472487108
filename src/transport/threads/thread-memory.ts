// Shared memory between the main thread and an answering thread, used instead of messages: the main thread asks
// the other to end, and the other counts. Each word has one writer.

/** Counters of one answering thread, or of all. They survive the thread, and its successor continues to count. */
export type DatagramCounters = {
  readonly receivedCount: number
  readonly sentCount: number
  /** Requests that deserve no answer, or could not get one because their source was forged. */
  readonly silentCount: number
  /** Answers that the kernel refused, or dropped because it was behind. */
  readonly unsentCount: number
  /** Requests that the program failed to answer, which should not occur. */
  readonly failedCount: number
  /** System calls that returned datagrams: `receivedCount / batchCount` shows the load of the thread. */
  readonly batchCount: number
}

/** The place of each counter. Doubles count exactly to 2^53 and are read and written whole. */
export const counterIndexes = {
  receivedCount: 0,
  sentCount: 1,
  silentCount: 2,
  unsentCount: 3,
  failedCount: 4,
  batchCount: 5,
} as const satisfies Record<keyof DatagramCounters, number>

const counterCount = Object.keys(counterIndexes).length

export type ThreadMemory = {
  readonly counters: Float64Array<SharedArrayBuffer>
  /** One word: not 0 when the thread should end. */
  readonly ending: Int32Array<SharedArrayBuffer>
}

export function newThreadMemory(): ThreadMemory {
  return {
    counters: new Float64Array(new SharedArrayBuffer(8 * counterCount)),
    ending: new Int32Array(new SharedArrayBuffer(4)),
  }
}

/** Adds up the counters of several threads. */
export function sumCounters(memories: readonly ThreadMemory[]): DatagramCounters {
  const sum = (index: number): number =>
    memories.reduce((total, { counters }) => total + (counters[index] ?? 0), 0)
  const entries = Object.entries(counterIndexes).map(([name, index]) => [name, sum(index)])
  return Object.fromEntries(entries) as DatagramCounters
}
