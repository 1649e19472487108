import { setImmediate as nextImmediate } from 'node:timers/promises'

/** How long work may go on before others have their turn. Half of what a user of a busy server would notice
 *  least: a query that waits this long is still answered before a resolver looks at its clock. */
const sliceMs = 5

/** Keeps long work from stalling the event loop: after each small step ask whether the slice is spent, and
 *  if so await `rest`. The steps between two questions should take well under a millisecond. */
export class TimeSlice {
  #endsAtMs = performance.now() + sliceMs

  get isSpent(): boolean {
    return performance.now() >= this.#endsAtMs
  }

  /** Lets timers and sockets have their turn, then starts a new slice. */
  async rest(): Promise<void> {
    await nextImmediate()
    this.#endsAtMs = performance.now() + sliceMs
  }
}

/** Work in small steps, and what comes of it. */
export type Steps<T> = Generator<undefined, T>

/** Does all steps, and lets others have their turn between them whenever a slice is spent. What fits into one slice
 *  is done before this returns. */
export async function inSlices<T>(steps: Steps<T>): Promise<T> {
  const slice = new TimeSlice()
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

/** Hands pieces on, and lets others have their turn between them whenever a slice is spent. */
export async function* inTurns<T>(pieces: Iterable<T>): AsyncGenerator<T> {
  const slice = new TimeSlice()
  for (const piece of pieces) {
    yield piece
    if (slice.isSpent) await slice.rest()
  }
}
