/** Runs tasks one at a time, in the order they come. A task that fails does not hold up those behind it. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve()

  run<T>(task: () => Promise<T>): Promise<T> {
    const run = this.#last.then(task)
    this.#last = run.catch(() => undefined)
    return run
  }

  /** Resolves when all tasks so far have ended, whether they failed or not. */
  async drained(): Promise<void> {
    await this.#last
  }
}
