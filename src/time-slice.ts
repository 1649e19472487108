import { performance } from 'node:perf_hooks'

/** How long work may go on before others have their turn. A turn also has what cannot be divided in it: a collection
 *  of garbage takes up to 15 ms on a slow machine, and both together should stay below 20. */
const sliceMs = 3
/** What work has in any case, so that a small piece of it is not torn apart by the large ones of others; until all of
 *  them together have had so much more in a turn. */
const leastMs = 1
const overtimeMs = 4

/** The turn of the event loop that has the present slice, and when that is spent. All work in a turn shares one: five
 *  that had 5 ms each would stall it for 25. */
let sliceTurn = -1
let spentAtMs = 0
/** What rests, in the order in which it goes on: one in each turn. */
const resting: (() => void)[] = []

/** Keeps long work from stalling the event loop: after each small step ask whether the slice is spent, and
 *  if so await `rest`. The steps between two questions should take well under a millisecond. */
export class TimeSlice {
  #leastUntilMs = performance.now() + leastMs

  constructor() {
    beginSlice()
  }

  get isSpent(): boolean {
    const leastUntilMs = Math.min(this.#leastUntilMs, spentAtMs + overtimeMs)
    return performance.now() >= Math.max(spentAtMs, leastUntilMs) && !beginSlice()
  }

  /** Lets timers and sockets have their turn, then whatever rests longer, and then starts a new slice. */
  async rest(): Promise<void> {
    await new Promise<void>(resolve => {
      if (resting.push(resolve) === 1) setImmediate(wakeNext)
    })
    this.#leastUntilMs = performance.now() + leastMs
  }
}

/** Does a piece of work that cannot be divided: at once where the turn has time left, or when it is its turn. */
export async function undivided<T>(work: () => T): Promise<T> {
  if (performance.now() >= spentAtMs && !beginSlice()) await new TimeSlice().rest()
  return work()
}

function wakeNext(): void {
  const wake = resting.shift()
  if (resting.length > 0) setImmediate(wakeNext)
  beginSlice()
  wake?.()
}

/** Returns false where this turn has had one. What a socket or a file set off and what rested before are in the same
 *  turn, which is why it is not enough to begin one with each rest. */
function beginSlice(): boolean {
  const turn = performance.nodeTiming.uvMetricsInfo.loopCount
  if (turn === sliceTurn) return false
  sliceTurn = turn
  spentAtMs = performance.now() + sliceMs
  return true
}

/** Work in small steps, and what comes of it. */
export type Steps<T> = Generator<undefined, T>

/** Does all steps, and lets others have their turn between them whenever a slice is spent. What fits into one slice
 *  is done before this returns. */
export async function inSlices<T>(steps: Steps<T>, slice = new TimeSlice()): Promise<T> {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    if (slice.isSpent) await slice.rest()
  }
}

/** Does all steps one after the other, for what is known to be short. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** Makes something of each item, and lets others have their turn between them whenever a slice is spent. */
export async function mapInSlices<T, U>(items: Iterable<T>, map: (item: T) => U): Promise<U[]> {
  const made: U[] = []
  const slice = new TimeSlice()
  for (const item of items) {
    made.push(map(item))
    if (slice.isSpent) await slice.rest()
  }
  return made
}

/** Hands pieces on, and lets others have their turn between them whenever a slice is spent. */
export async function* inTurns<T>(pieces: Iterable<T>): AsyncGenerator<T> {
  const slice = new TimeSlice()
  for (const piece of pieces) {
    yield piece
    if (slice.isSpent) await slice.rest()
  }
}
