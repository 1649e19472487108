import { Counter, collectDefaultMetrics, Gauge, type Histogram, Registry } from 'prom-client'
import { Durations } from '../durations.ts'

/** A number that another part keeps, with the labels that distinguish it from others of the same name. */
type Reading = { readonly labels?: Readonly<Record<string, string>>; readonly value: number }

/** A metric whose numbers another part keeps; they are read at each scrape and cost nothing between scrapes. */
type ReadMetric = {
  /** By Prometheus' conventions: a counter ends in `_total`, and nothing else does; a unit is the last word before that. */
  readonly name: string
  readonly help: string
  /** Names of the labels that distinguish the readings. */
  readonly labels: readonly string[]
  readonly read: () => Iterable<Reading>
}

/** Amounts that another part has counted by size, with the labels that distinguish them from others of the same name. */
type Distribution = {
  readonly labels?: Readonly<Record<string, string>>
  /** The number of amounts in each bucket; there is one bucket more than bounds. */
  readonly counts: readonly number[]
  /** Of all amounts. */
  readonly sum: number
}

/** A histogram that another part keeps; it is read at each scrape. */
type ReadHistogram = {
  readonly name: string
  readonly help: string
  /** The upper bound of each bucket but the last. */
  readonly bounds: readonly number[]
  readonly read: () => Iterable<Distribution>
}

const requestBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5]

/** How long requests have taken whose labels are the same. */
type RequestDurations = {
  readonly labels: Readonly<Record<string, string>>
  readonly durations: Durations
}

/** The metrics of this process, in the text format of Prometheus. */
export class Metrics {
  readonly contentType: string
  readonly #registry = new Registry()
  readonly #requests = new Map<string, RequestDurations>()

  constructor({ version }: { readonly version: string }) {
    const registers = [this.#registry]
    this.contentType = this.#registry.contentType
    collectDefaultMetrics({ register: this.#registry })
    new Gauge({
      name: 'zonewright_build_info',
      help: 'Always 1; the version that runs is a label',
      labelNames: ['version'],
      registers,
    }).set({ version }, 1)
    this.addHistogram({
      name: 'zonewright_http_request_duration_seconds',
      help: 'Time from the headers of a request to the end of its response',
      bounds: requestBuckets,
      read: () =>
        Array.from(this.#requests.values(), ({ labels, durations: { counts, sum } }) => {
          return { labels, counts, sum }
        }),
    })
  }

  /** Adds a single number; a gauge is not shown while it is undefined.
   *  @throws Error the name is taken, or not one that Prometheus takes */
  addNumber(name: string, help: string, read: () => number | undefined): void {
    const readings = () => {
      const value = read()
      return value === undefined ? [] : [{ value }]
    }
    this.add({ name, help, labels: [], read: readings })
  }

  /** Adds the numbers of the values of a label.
   *  @throws Error as above */
  addNumbers(
    name: string,
    help: string,
    label: string,
    read: () => Iterable<readonly [string, number]>,
  ): void {
    const readings = () => Array.from(read(), ([of, value]) => ({ labels: { [label]: of }, value }))
    this.add({ name, help, labels: [label], read: readings })
  }

  /** @throws Error as above */
  add({ name, help, labels, read }: ReadMetric): void {
    const common = { name, help, labelNames: [...labels], registers: [this.#registry] }
    if (name.endsWith('_total')) {
      new Counter({
        ...common,
        collect() {
          this.reset()
          for (const { labels = {}, value } of read()) this.inc(labels, value)
        },
      })
      return
    }
    new Gauge({
      ...common,
      collect() {
        this.reset()
        // A reset gauge without labels is 0, which a time such as an expiry must not be.
        if (labels.length === 0) this.remove()
        for (const { labels = {}, value } of read()) this.set(labels, value)
      },
    })
  }

  /** Bypasses the histograms of prom-client, which take their observations one by one. */
  addHistogram({ name, help, bounds, read }: ReadHistogram): void {
    const get = async () => ({
      name,
      help,
      type: 'histogram',
      aggregator: 'sum' as const,
      values: [...read()].flatMap(distribution => valuesOf(name, bounds, distribution)),
    })
    this.#registry.registerMetric({ name, get } as unknown as Histogram)
  }

  /** Counts an HTTP request that has been answered.
   *  @param request `route` is the declared path, so that there are few routes */
  requestAnswered(request: {
    readonly method: string
    readonly route: string | undefined
    readonly status: number
    readonly seconds: number
  }): void {
    const { method, route = 'unknown', status, seconds } = request
    const key = `${method} ${status} ${route}`
    const known = this.#requests.get(key)
    const requests = known ?? {
      labels: { method, route, status: String(status) },
      durations: new Durations(requestBuckets),
    }
    if (known === undefined) this.#requests.set(key, requests)
    requests.durations.note(seconds)
  }

  /** The current values of all metrics. */
  text(): Promise<string> {
    return this.#registry.metrics()
  }
}

/** The buckets of a Prometheus histogram are cumulative: each count includes the buckets before it. */
function valuesOf(
  name: string,
  bounds: readonly number[],
  { labels = {}, counts, sum }: Distribution,
): readonly object[] {
  let count = 0
  const buckets = counts.map((more, i) => {
    count += more
    const le = bounds[i] ?? '+Inf'
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count }
  })
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ]
}
