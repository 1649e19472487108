import { formatName, type Name } from '../dns/name.ts'
import { rcodeText } from '../dns/rcode-text.ts'
import { typeMnemonic } from '../dns/rdata/mnemonic.ts'

/** A query that was answered; the sample represents `weight` such queries. */
export type Sample = {
  readonly atMillis: number
  readonly weight: number
  /** Undefined where the query was for none of our zones. */
  readonly zone: SampledZone | undefined
  readonly name: Name
  readonly type: number
  readonly rcode: number
  readonly client: string
}

/** A zone as it was at the time of the sample. */
export type SampledZone = { readonly id: string; readonly name: string; readonly projectId: string }

/** A key with the estimated number of its queries. */
type Counted<T> = T & { readonly queries: number }

/** The most frequent of each kind, in descending order. */
export type Top = {
  /** The begin of the requested time, or the oldest sample kept where that is later. */
  readonly sinceMillis: number
  readonly queries: number
  readonly sampleCount: number
  readonly zones: readonly Counted<{ readonly zone: SampledZone }>[]
  readonly names: readonly Counted<{ readonly name: string; readonly type: string }>[]
  readonly clients: readonly Counted<{ readonly client: string }>[]
  readonly types: readonly Counted<{ readonly type: string }>[]
  readonly rcodes: readonly Counted<{ readonly rcode: string }>[]
}

/** The longest time that can be requested. */
export const keptMillis = 5 * 60_000
/** Some 8 MiB; at the sampling rate, more than a minute. */
const maxSamples = 32_768

/** Samples of the last minutes. */
export class Samples {
  #samples: (Sample | undefined)[] = []
  #next = 0

  add(sample: Sample): void {
    this.#samples[this.#next] = sample
    this.#next = (this.#next + 1) % maxSamples
  }

  /** Counts the samples since a time.
   *  @param isSeen whether a sample may be counted */
  top(sinceMillis: number, limit: number, isSeen: (sample: Sample) => boolean): Top {
    const zones = new Counts<{ readonly zone: SampledZone }>()
    const names = new Counts<{ readonly name: Name; readonly type: number }>()
    const clients = new Counts<{ readonly client: string }>()
    const types = new Counts<{ readonly type: number }>()
    const rcodes = new Counts<{ readonly rcode: number }>()
    let [queries, sampleCount] = [0, 0]
    for (const sample of this.#samples) {
      if (sample === undefined || sample.atMillis < sinceMillis || !isSeen(sample)) continue
      const { weight, zone, name, type, client, rcode } = sample
      queries += weight
      sampleCount += 1
      if (zone !== undefined) zones.add(zone.id, { zone }, weight)
      names.add(`${type} ${name}`, { name, type }, weight)
      clients.add(client, { client }, weight)
      types.add(type, { type }, weight)
      rcodes.add(rcode, { rcode }, weight)
    }
    return {
      sinceMillis: Math.max(sinceMillis, this.#oldestMillis),
      queries,
      sampleCount,
      zones: zones.most(limit),
      names: names.most(limit).map(({ name, type, queries }) => ({
        name: formatName(name),
        type: typeMnemonic(type),
        queries,
      })),
      clients: clients.most(limit),
      types: types.most(limit).map(({ type, queries }) => ({ type: typeMnemonic(type), queries })),
      rcodes: rcodes
        .most(limit)
        .map(({ rcode, queries }) => ({ rcode: rcodeText(rcode), queries })),
    }
  }

  /** Drops samples that can no longer be requested. */
  forget(beforeMillis: number): void {
    for (const [i, sample] of this.#samples.entries())
      if (sample !== undefined && sample.atMillis < beforeMillis) this.#samples[i] = undefined
  }

  /** The time of the oldest sample once newer ones have overwritten older ones: what came before it is not known. */
  get #oldestMillis(): number {
    if (this.#samples.length < maxSamples) return 0
    return this.#samples[this.#next]?.atMillis ?? 0
  }
}

class Counts<T> {
  readonly #byKey = new Map<string | number, { readonly what: T; queries: number }>()

  add(key: string | number, what: T, queries: number): void {
    const counted = this.#byKey.get(key)
    if (counted === undefined) this.#byKey.set(key, { what, queries })
    else counted.queries += queries
  }

  most(limit: number): readonly Counted<T>[] {
    return [...this.#byKey.values()]
      .sort((one, other) => other.queries - one.queries)
      .slice(0, limit)
      .map(({ what, queries }) => ({ ...what, queries }))
  }
}
