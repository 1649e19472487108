import type { Test } from 'tap'
import type { Appliance } from './appliance.ts'
import { queryAddresses } from './query.ts'
import { until } from './until.ts'

const address = '192.0.2.1'

/** Clients that create recordsets in one zone, one after another at each of some nodes, until they are stopped. */
export class NodeWriters {
  /** Names that the nodes reported as created. */
  readonly acknowledged: string[] = []
  /** Names that they reported as refused: created neither now nor later. */
  readonly refused: string[] = []
  readonly #zone: { readonly id: string; readonly name: string }
  readonly #writing: Promise<void>[] = []
  #isOver = false
  #lastAtMs = performance.now()
  #longestGapMs = 0

  constructor(zone: { readonly id: string; readonly name: string }) {
    this.#zone = zone
  }

  /** Makes a zone, and begins to write to it. */
  static async begin(
    nodes: readonly Appliance[],
    name: string,
    first = nodes[0] as Appliance,
  ): Promise<NodeWriters> {
    const zone = { name, email: 'a@example.com' }
    await first.liftQuotas()
    const { id } = await first.json<{ id: string }>('POST', '/v2/zones', zone)
    const writers = new NodeWriters({ id, name })
    for (const node of nodes) writers.writeAt(node)
    return writers
  }

  writeAt(node: Appliance): void {
    this.#writing.push(this.#write(node, `w${this.#writing.length}`))
  }

  /** Creates a recordset. Returns the status of the answer; 0 where there is none. */
  async create(node: Appliance, label: string): Promise<number> {
    const name = `${label}.${this.#zone.name}`
    const body = { name, type: 'A', records: [address] }
    const path = `/v2/zones/${this.#zone.id}/recordsets`
    const answer = await node.request('POST', path, body).then(
      async response => ({ status: response.status, text: await response.text() }),
      () => ({ status: 0, text: '' }),
    )
    if (answer.status === 202 || answer.status === 201) this.#acknowledge(name)
    else if (answer.text.includes('is not made')) this.refused.push(name)
    return answer.status
  }

  async isAnswered(node: Appliance, label: string): Promise<boolean> {
    const found = await queryAddresses(node.endpoint(), `${label}.${this.#zone.name}`)
    return found.length > 0
  }

  /** Resolves when so many more are created. */
  async more(count = 20): Promise<void> {
    const from = this.acknowledged.length
    await until(() => this.acknowledged.length >= from + count)
  }

  /** Resolves when more are refused. */
  async moreRefused(): Promise<void> {
    const from = this.refused.length
    await until(() => this.refused.length > from)
  }

  /** Measures the longest pause without a creation from now on. */
  startGap(): () => number {
    this.#lastAtMs = performance.now()
    this.#longestGapMs = 0
    return () => Math.max(this.#longestGapMs, performance.now() - this.#lastAtMs)
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#writing)
  }

  /** Requires that nodes answer all names that were created, and none that was refused. */
  async requireAll(t: Test, nodes: readonly Appliance[]): Promise<void> {
    for (const node of nodes) {
      for (const name of this.acknowledged)
        await until(
          () => queryAddresses(node.endpoint(), name),
          found => found.join() === address,
        )
      const made: string[] = []
      for (const name of this.refused)
        if ((await queryAddresses(node.endpoint(), name)).length > 0) made.push(name)
      t.same(made, [], 'what was refused is not there')
    }
    t.not(this.acknowledged.length, 0)
  }

  async #write(node: Appliance, prefix: string): Promise<void> {
    for (let i = 0; !this.#isOver; i += 1) {
      const status = await this.create(node, `${prefix}-${i}`)
      // It was killed.
      if (status === 0) return
    }
  }

  #acknowledge(name: string): void {
    this.acknowledged.push(name)
    const now = performance.now()
    this.#longestGapMs = Math.max(this.#longestGapMs, now - this.#lastAtMs)
    this.#lastAtMs = now
  }
}
