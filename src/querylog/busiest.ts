import type { Clock } from '../clock.ts'
import { type Caller, isAdmin } from '../identity/caller.ts'
import type { TappedQuery } from '../nameserver/tap-reader.ts'
import { formatClient } from './client-address.ts'
import { questionOf } from './question.ts'
import { keptMillis, type SampledZone, Samples, type Top } from './samples.ts'

type BusiestOptions = {
  readonly clock: Clock
  /** The zone that has a zone number in the table. */
  readonly zoneOf: (zoneNumber: number) => SampledZone | undefined
  /** Whether only the networks of clients are kept. */
  readonly hidesHosts: boolean
  /** Takes the queries that the answering threads have noted so far. */
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

  /** Counts all queries for administrators, and for others those for the zones of their project. */
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

  /** Drops samples that are older than any request can ask for. */
  forget(): void {
    this.#samples.forget(this.#options.clock.nowMillis() - keptMillis)
  }
}
