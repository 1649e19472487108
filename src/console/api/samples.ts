/** A sample of `/metrics`: its name, its labels and its value. */
export type Sample = {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** Parses Prometheus's text format, as far as this server writes it. */
export function parseMetrics(text: string): readonly Sample[] {
  return text.split('\n').flatMap(line => {
    const match = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line)
    if (match === null) return []
    const [, name = '', labels = '', value] = match
    return [{ name, labels: parseLabels(labels), value: Number(value) }]
  })
}

/** The sum of the samples of a name. */
export function sumOf(samples: readonly Sample[], name: string): number {
  return samples.filter(sample => sample.name === name).reduce((sum, { value }) => sum + value, 0)
}

/** The sums of the samples of a name by one of their labels. */
export function sumsBy(
  samples: readonly Sample[],
  name: string,
  label: string,
): ReadonlyMap<string, number> {
  const sums = new Map<string, number>()
  for (const sample of samples) {
    const key = sample.labels[label]
    if (sample.name === name && key !== undefined) {
      sums.set(key, (sums.get(key) ?? 0) + sample.value)
    }
  }
  return sums
}

/** A quantile of the values that a histogram has counted between two readings, as the bound of its bucket in the unit of the
 *  histogram; undefined where nothing was counted.
 *  @param part such as 0.99 */
export function quantileOf(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
  part: number,
): number | undefined {
  const counts = [...after]
    .map(([bound, count]) => ({ bound: boundOf(bound), count: count - (before.get(bound) ?? 0) }))
    .sort((a, b) => a.bound - b.bound)
  const total = counts.at(-1)?.count ?? 0
  if (total <= 0) return undefined
  return counts.find(({ count }) => count >= total * part)?.bound
}

function boundOf(text: string): number {
  return text === '+Inf' ? Number.POSITIVE_INFINITY : Number(text)
}

function parseLabels(text: string): Readonly<Record<string, string>> {
  const pairs = [...text.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)]
  return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, value]))
}
