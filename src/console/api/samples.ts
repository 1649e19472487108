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

/** The sum of the samples of a name, over those whose labels agree. */
export function sumOf(
  samples: readonly Sample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number {
  return samples
    .filter(sample => sample.name === name)
    .filter(sample => Object.entries(labels).every(([key, value]) => sample.labels[key] === value))
    .reduce((sum, { value }) => sum + value, 0)
}

function parseLabels(text: string): Readonly<Record<string, string>> {
  const pairs = [...text.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)]
  return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, value]))
}
