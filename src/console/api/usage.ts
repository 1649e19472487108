import { call, send } from './client.ts'

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

/** What a project has used in a month, and what it has to pay for that. Amounts are decimal text. */
export type Invoice = {
  readonly project_id: string
  readonly month: string
  readonly status: 'open' | 'final'
  readonly rated_until: string
  readonly currency: string | null
  readonly rounding: string | null
  readonly total: string
  readonly lines: readonly InvoiceLine[]
  readonly not_rated: readonly Pick<InvoiceLine, 'zone_name' | 'metric' | 'quantity' | 'unit'>[]
}

export type InvoiceLine = {
  readonly zone_name: string
  readonly metric: string
  readonly tier: string | null
  readonly quantity: string
  readonly unit: string
  readonly price: string | null
  readonly sum: string
}

/** @param month such as 2026-11 */
export function getInvoice(projectId: string, month: string): Promise<Invoice> {
  return call({ path: `/v2/invoices/${projectId}/${month}`, query: { format: 'json' } })
}

export async function invoiceCsv(projectId: string, month: string): Promise<Blob> {
  const query = { format: 'csv' }
  return (await send({ path: `/v2/invoices/${projectId}/${month}`, query })).blob()
}
