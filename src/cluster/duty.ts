/** Whether this node, among those over one store, does the work that only one of them may do. */
export type Duty = {
  readonly isHeld: boolean
  /** Increases each time that a node takes the duty, so that late writes of an earlier holder can be refused. */
  readonly epoch: number
  /** Calls `listener` each time that this node takes the duty, and at once where it has it already.
   *  @param listener is given a signal that aborts when the duty is lost */
  whenHeld(listener: (lost: AbortSignal) => void): void
}

/** The duty of a server that is the only one over its store: it is never lost. */
export const soleDuty: Duty = {
  isHeld: true,
  epoch: 0,
  whenHeld: listener => listener(new AbortController().signal),
}

/** A duty that can be taken and lost. */
export class ChangingDuty implements Duty {
  readonly #listeners: ((lost: AbortSignal) => void)[] = []
  #term: AbortController | undefined
  #epoch = 0

  get isHeld(): boolean {
    return this.#term !== undefined
  }

  get epoch(): number {
    return this.#epoch
  }

  whenHeld(listener: (lost: AbortSignal) => void): void {
    this.#listeners.push(listener)
    if (this.#term !== undefined) listener(this.#term.signal)
  }

  take(epoch: number): void {
    this.lose()
    this.#epoch = epoch
    const term = new AbortController()
    this.#term = term
    for (const listener of this.#listeners) listener(term.signal)
  }

  /** Idempotent. */
  lose(): void {
    const term = this.#term
    this.#term = undefined
    term?.abort()
  }
}
