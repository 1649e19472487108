import { call } from './client.ts'

/** A row of a summary: what it is grouped by, a quantity and a price. */
export type UsageRow = Readonly<Record<string, string | number | null>>

type Summary = {
  readonly columns: readonly string[]
  readonly results: readonly (readonly (string | number | null)[])[]
}

/** Sums the project's usage of the current month by an attribute, the dearest first where that is asked for.
 *  @param groupby such as `type`, `zone_name`, `time-d` */
export async function usageOfMonth(
  groupby: string,
  { limit = 100, isDearestFirst = false } = {},
): Promise<readonly UsageRow[]> {
  const order = isDearestFirst ? { sort_key: 'rate', sort_dir: 'desc' } : {}
  const { columns, results } = await call<Summary>({
    path: '/v2/summary',
    query: { groupby, limit, ...order },
  })
  return results.map(row => Object.fromEntries(columns.map((name, at) => [name, row[at] ?? null])))
}
