import { Type } from 'typebox'
import {
  amount,
  anything,
  component,
  countedPageOf,
  flag,
  listOf,
  number,
  objectsWith,
  oneOf,
  orNull,
  plainId,
  second,
  selfLink,
  text,
  texts,
  uuid,
  whole,
} from '../openapi/fields.ts'

// What the rating group answers, and CloudKitty's second API.

export const scopeAnswer = component('Scope', {
  scope_id: plainId,
  scope_key: text('project_id'),
  fetcher: text('dns'),
  collector: text('dns'),
  state: orNull(second),
  last_processed_timestamp: orNull(second),
  active: flag,
  scope_activation_toggle_date: orNull(second),
})
export const scopesAnswer = Type.Object({ results: listOf(scopeAnswer) })

const usage = Type.Object({
  vol: Type.Object({ unit: text('Mquery'), qty: number(1.5) }),
  rating: Type.Object({ price: number(0.5) }),
  groupby: texts({ project_id: 'alpha', zone: 'example.com.' }),
  metadata: texts({ rcode: 'NOERROR' }),
})
const dataframes = listOf(
  component('Dataframe', {
    period: Type.Object({ begin: second, end: second }),
    usage: Type.Record(Type.String(), listOf(usage)),
  }),
)
export const dataframesAnswer = Type.Object({ total: whole(1), dataframes })
/** What is sent has the same form, and is checked number by number where it is read. */
export const dataframesBody = component('dataframes', { dataframes })

/** Columns are those that were asked for. */
export const summaryAnswer = Type.Object({
  total: whole(1),
  columns: Type.Optional(listOf(text('begin'))),
  results: listOf(
    Type.Union([
      anything({ begin: '2026-11-01T00:00:00+00:00', qty: 5, rate: 1 }),
      listOf(Type.Unknown({ examples: ['2026-11-01T00:00:00+00:00'] })),
    ]),
  ),
  format: Type.Optional(text('table')),
})

export const budgetAnswer = component('Budget', {
  id: uuid,
  project_id: plainId,
  amount,
  thresholds: listOf(whole(80)),
  month: text('2026-11'),
  cost: amount,
  forecast: orNull(amount),
  rated_until: orNull(second),
  crossed_thresholds: objectsWith({
    threshold: whole(80),
    amount,
    cost: amount,
    crossed_at: second,
  }),
  top_zones: objectsWith({ id: text('a86dba58'), name: text('example.com.'), cost: amount }),
  created_at: second,
  updated_at: orNull(second),
  links: selfLink,
})
export const budgetsAnswer = countedPageOf('budgets', budgetAnswer)

export const pricesAnswer = Type.Object({
  model: text('default'),
  added: whole(4),
  present: whole(0),
  kept: listOf(Type.Unknown({ examples: ['dns.queries'] })),
})

const priceRule = component('PriceRule', {
  service: text('dns.queries'),
  field: Type.Optional(text('rcode')),
  value: Type.Optional(text('NXDOMAIN')),
  type: oneOf('flat', 'rate'),
  cost: amount,
  description: text('names that do not exist are free'),
})
export const priceListAnswer = component('PriceList', {
  rules: listOf(priceRule),
  other_rules: whole(0),
})
const previewed = { cost: amount, preview: amount }
export const pricePreviewAnswer = component('PricePreview', {
  month: text('2026-11'),
  ...previewed,
  metrics: objectsWith({
    metric: text('dns.queries'),
    unit: text('Mquery'),
    quantity: amount,
    ...previewed,
  }),
  projects: objectsWith({ project_id: plainId, ...previewed }),
})

export const moduleAnswer = component('RatingModule', {
  module_id: text('hashmap'),
  description: text('HashMap rating module.'),
  enabled: flag,
  hot_config: flag,
  priority: whole(1),
})
export const modulesAnswer = Type.Object({ modules: listOf(moduleAnswer) })

export const reprocessesAnswer = Type.Object({
  results: objectsWith({
    scope_id: plainId,
    reason: text('a price was wrong'),
    start_reprocess_time: second,
    end_reprocess_time: second,
    current_reprocess_time: Type.String({ examples: [''] }),
  }),
})

const used = {
  zone_id: text('a86dba58-0043-4cc6-a1bb-69d5e86f3ca3'),
  zone_name: text('example.com.'),
  metric: text('dns.queries'),
  unit: text('Mquery'),
  quantity: amount,
}
export const invoiceAnswer = component('Invoice', {
  project_id: plainId,
  project_name: orNull(text('acme')),
  month: text('2026-11'),
  begin: second,
  end: second,
  status: oneOf('open', 'final'),
  rated_until: second,
  currency: orNull(text('EUR')),
  rounding: orNull(text('0.01')),
  total: amount,
  lines: objectsWith({ ...used, tier: orNull(text('1')), price: orNull(amount), sum: amount }),
  not_rated: objectsWith(used),
})
