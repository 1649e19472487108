/** What has been opened, to be closed in the opposite order. */
export class Closing {
  readonly #steps: (() => Promise<void>)[] = []
  #done: Promise<void> | undefined

  add(step: () => Promise<void>): void {
    this.#steps.push(step)
  }

  /** Takes all steps, whatever becomes of one of them. Called again it waits for the same end.
   *  @throws what the first step to fail has thrown */
  run(): Promise<void> {
    this.#done ??= this.#run()
    return this.#done
  }

  async #run(): Promise<void> {
    const failures: unknown[] = []
    for (const step of this.#steps.reverse()) await step().catch(error => failures.push(error))
    if (failures.length > 0) throw failures[0]
  }
}
