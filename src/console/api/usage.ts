import type { Static } from 'typebox'
import type { invoiceAnswer } from '../../api/rating/answers.ts'
import { texts } from '../texts.ts'
import { call, send } from './client.ts'

/** A sum over a month: of a metric, a zone or a day, depending on the grouping. */
export type Total = {
  readonly name: string
  readonly quantity: number
  readonly cost: number
  /** The begin of the month. */
  readonly begin: string
}

type Summary = {
  readonly columns: readonly string[]
  readonly results: readonly (readonly (string | number | null)[])[]
}

type SumOptions = {
  readonly metric?: string | undefined
  readonly limit?: number
  readonly isLargestFirst?: boolean
}

/** Sums the project's usage of the current month by an attribute.
 *  @param groupby such as `type`, `zone_name`, `time-d` */
export async function usageOfMonth(
  groupby: string,
  { metric, limit = 100, isLargestFirst = false }: SumOptions = {},
): Promise<readonly Total[]> {
  const order = isLargestFirst && {
    sort_key: metric === undefined ? 'rate' : 'qty',
    sort_dir: 'desc',
  }
  const filters = metric && `type:${metric}`
  const { columns, results } = await call<Summary>({
    path: '/v2/summary',
    query: { groupby, limit, ...order, filters },
  })
  const own = columns.length - 1
  return results.map(row => ({
    name: String(row[own] ?? ''),
    quantity: Number(row[columns.indexOf('qty')]),
    cost: Number(row[columns.indexOf('rate')]),
    begin: String(row[columns.indexOf('begin')]),
  }))
}

const metricOrder = ['dns.queries', 'dns.bytes', 'dns.zone', 'dns.recordset', 'dns.zone.signed']

/** The usage of the project by metric, the most familiar metrics first. */
export async function metricTotals(): Promise<readonly Total[]> {
  const totals = await usageOfMonth('type')
  const placeOf = ({ name }: Total) => metricOrder.indexOf(name) + 1 || metricOrder.length + 1
  return [...totals].sort((a, b) => placeOf(a) - placeOf(b))
}

export function metricName(metric: string): string {
  const names: Readonly<Record<string, string>> = texts.usage.metrics
  return names[metric] ?? metric
}

/** The day of a sum by `time-d`, where days are counted from New Year's Day on. */
export function dayOf({ name, begin }: Total): Date {
  return new Date(Date.UTC(new Date(begin).getUTCFullYear(), 0, Number(name)))
}

/** The usage of a project in a month, and its cost. Amounts are decimal text. */
export type Invoice = Static<typeof invoiceAnswer>

export type InvoiceLine = Invoice['lines'][number]

/** @param month such as 2026-11 */
export function getInvoice(projectId: string, month: string): Promise<Invoice> {
  return call({ path: `/v2/invoices/${projectId}/${month}`, query: { format: 'json' } })
}

export async function invoiceCsv(projectId: string, month: string): Promise<Blob> {
  const query = { format: 'csv' }
  return (await send({ path: `/v2/invoices/${projectId}/${month}`, query })).blob()
}
