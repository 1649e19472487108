import type { Clock } from '../clock.ts'
import { type Caller, isAdmin } from '../identity/caller.ts'
import type { TappedQuery } from '../nameserver/tap-reader.ts'
import { formatClient } from './client-address.ts'
import { questionOf } from './question.ts'
import { keptMillis, type SampledZone, Samples, type Top } from './samples.ts'

export type BusiestOptions = {
  readonly clock: Clock
  /** The zone that has a zone number in the table. */
  readonly zoneOf: (zoneNumber: number) => SampledZone | undefined
  /** Whether of clients only the network is kept. */
  readonly hidesHosts: boolean
  /** Takes what the answering threads have noted until now. */
  readonly takeNoted: () => void
}

/** The busiest zones, names, clients and types of the last minutes. */
export class Busiest {
  readonly #options: BusiestOptions
  readonly #samples = new Samples()

  constructor(options: BusiestOptions) {
    this.#options = options
  }

  /** Notes a query that was sampled. */
  note({ weight, client, request, rcode, zoneNumber }: TappedQuery): void {
    const question = questionOf(request)
    if (weight === 0 || question === undefined) return
    const { clock, zoneOf, hidesHosts } = this.#options
    this.#samples.add({
      atMillis: clock.nowMillis(),
      weight,
      zone: zoneNumber === undefined ? undefined : zoneOf(zoneNumber),
      name: question.name,
      type: question.type,
      rcode,
      client: formatClient(client, hidesHosts),
    })
  }

  /** Everything for administrators, and for others what was asked of their project's zones. */
  top(
    caller: Caller,
    { seconds, limit }: { readonly seconds: number; readonly limit: number },
  ): Top {
    const { clock, takeNoted } = this.#options
    takeNoted()
    const isSeen = isAdmin(caller)
      ? () => true
      : ({ zone }: { readonly zone: SampledZone | undefined }) =>
          zone?.projectId === caller.projectId
    return this.#samples.top(clock.nowMillis() - seconds * 1000, limit, isSeen)
  }

  /** Forgets what is too old to be asked for. */
  forget(): void {
    this.#samples.forget(this.#options.clock.nowMillis() - keptMillis)
  }
}
