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
