import { performance } from 'node:perf_hooks'

/** How long work may run before it yields. A turn also contains work that cannot be divided: a garbage collection
 *  takes up to 15 ms on a slow machine, and both together should stay below 20. */
const sliceMs = 3
/** The least time that each piece of work gets, so that large pieces do not split up a small one; until all pieces
 *  together have overrun the slice of the turn by `overtimeMs`. */
const leastMs = 1
const overtimeMs = 4

/** The longest that waiting work waits for `aheadOfLongWork`: as long as its slices are, so it keeps half of the time. */
const maxPauseMs = sliceMs

/** The turn of the event loop that the current slice belongs to, and when that slice is spent. All work in a turn shares
 *  one slice: five of 5 ms each would stall the loop for 25. */
let sliceTurn = -1
let spentAtMs = 0
/** Waiting work, in the order in which it resumes: one in each turn. */
const waiting: (() => void)[] = []
let shortWaitCount = 0
let pause: NodeJS.Timeout | undefined

/** Keeps long work from stalling the event loop: after each small step check `isSpent`, and
 *  if so await `yield`. The steps between two checks should take well under a millisecond. */
export class TimeSlice {
  #leastUntilMs = performance.now() + leastMs

  constructor() {
    beginSlice()
  }

  get isSpent(): boolean {
    const leastUntilMs = Math.min(this.#leastUntilMs, spentAtMs + overtimeMs)
    return isTurnPast(Math.max(spentAtMs, leastUntilMs))
  }

  /** Yields to timers and sockets, then to work that has waited longer, and then starts a new slice. */
  async yield(): Promise<void> {
    await new Promise<void>(resolve => {
      if (waiting.push(resolve) === 1) setImmediate(wakeNext)
    })
    this.#leastUntilMs = performance.now() + leastMs
  }
}

/** Does a piece of work that cannot be divided: at once where the slice of the turn has time left, and otherwise after a yield. */
export async function undivided<T>(work: () => T): Promise<T> {
  if (isTurnPast(spentAtMs)) await new TimeSlice().yield()
  return work()
}

/** Whether short pieces of work have overrun the slice of this turn, so that further ones should wait for another. */
export function isTurnOverrun(): boolean {
  return isTurnPast(spentAtMs + overtimeMs)
}

/** Awaits something short that others wait for too, such as a small write. Long work does not resume meanwhile: a write takes
 *  several turns of the event loop, and each would be longer by a slice. */
export async function aheadOfLongWork<T>(short: Promise<T>): Promise<T> {
  shortWaitCount += 1
  try {
    return await short
  } finally {
    shortWaitCount -= 1
    if (shortWaitCount === 0 && pause !== undefined) {
      clearTimeout(pause)
      pause = undefined
      setImmediate(wake)
    }
  }
}

function wakeNext(): void {
  if (shortWaitCount === 0) wake()
  else pause = setTimeout(wake, maxPauseMs)
}

function wake(): void {
  pause = undefined
  const resume = waiting.shift()
  if (waiting.length > 0) setImmediate(wakeNext)
  beginSlice()
  resume?.()
}

/** Whether it is past a time of the current slice, in the turn that the slice belongs to: a later turn begins another. */
function isTurnPast(atMs: number): boolean {
  return performance.now() >= atMs && !beginSlice()
}

/** Returns false where this turn has had a slice already. Callbacks of sockets and files run in the same turn as work that
 *  resumes, which is why it is not enough to begin a slice with each yield. */
function beginSlice(): boolean {
  const turn = performance.nodeTiming.uvMetricsInfo.loopCount
  if (turn === sliceTurn) return false
  sliceTurn = turn
  spentAtMs = performance.now() + sliceMs
  return true
}

/** Work in small steps, and its result. */
export type Steps<T> = Generator<undefined, T>

/** Does all steps, and yields between them whenever a slice is spent. Work that fits into one slice is done before this
 *  returns its promise. */
export async function inSlices<T>(steps: Steps<T>, slice = new TimeSlice()): Promise<T> {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    if (slice.isSpent) await slice.yield()
  }
}

/** As `inSlices`; undefined if the steps are done when it returns. */
export function unlessDone(steps: Steps<void>, slice: TimeSlice): Promise<void> | undefined {
  while (steps.next().done !== true) {
    if (slice.isSpent) return slice.yield().then(() => inSlices(steps, slice))
  }
  return undefined
}

/** Does all steps without yielding, for work that is known to be short. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** Maps each item, and yields between items whenever a slice is spent. */
export async function mapInSlices<T, U>(items: Iterable<T>, map: (item: T) => U): Promise<U[]> {
  const made: U[] = []
  const slice = new TimeSlice()
  for (const item of items) {
    made.push(map(item))
    if (slice.isSpent) await slice.yield()
  }
  return made
}

/** Passes pieces on, and yields between them whenever a slice is spent. */
export async function* inTurns<T>(pieces: Iterable<T>): AsyncGenerator<T> {
  const slice = new TimeSlice()
  for (const piece of pieces) {
    yield piece
    if (slice.isSpent) await slice.yield()
  }
}

/** Characters that make a piece worth sending. */
const pieceLength = 64 * 1024

/** Joins texts into pieces that are worth sending, and yields between texts whenever a slice is spent. */
export async function* inPieces(texts: Iterable<string>): AsyncGenerator<string> {
  const slice = new TimeSlice()
  let piece = ''
  for (const text of texts) {
    piece += text
    if (piece.length >= pieceLength) {
      yield piece
      piece = ''
    }
    if (slice.isSpent) await slice.yield()
  }
  yield piece
}
