import { type Static, Type } from 'typebox'
import { ApiError } from '../../errors.ts'
import { maxNameLength } from '../../rating/body-values.ts'
import { formatDecimal, formatPlaces } from '../../rating/decimal.ts'
import { type PriceList, soundRules } from '../../rating/hashmap/price-list.ts'
import type { PriceRule } from '../../rating/hashmap/price-model.ts'
import { priceModels } from '../../rating/hashmap/price-models.ts'
import { requireMonth } from '../../rating/invoices/invoices.ts'
import { type Month, monthPeriod, nowSeconds } from '../../rating/period.ts'
import { type PreviewedSum, type PricePreview, previewPrices } from '../../rating/price-preview.ts'
import { closed, requestBody } from '../openapi/fields.ts'
import { type Route, route } from '../route.ts'
import { priceListAnswer, pricePreviewAnswer, pricesAnswer } from './answers.ts'
import type { RatingServices } from './services.ts'

const name = (example: string) =>
  Type.String({ minLength: 1, maxLength: maxNameLength, examples: [example] })
const ruleSchema = closed(
  {
    service: name('dns.queries'),
    field: Type.Optional(name('rcode')),
    value: Type.Optional(name('NXDOMAIN')),
    type: Type.Union([Type.Literal('flat'), Type.Literal('rate')], { examples: ['rate'] }),
    cost: Type.String({ pattern: '^-?[0-9]{1,12}([.][0-9]{1,28})?$', examples: ['0'] }),
    description: Type.Optional(
      Type.String({ maxLength: 255, examples: ['names that do not exist are free'] }),
    ),
  },
  { title: 'PriceRule' },
)
const rules = Type.Array(ruleSchema, { maxItems: 1000 })
const listSchema = requestBody('prices', { rules })
const previewSchema = requestBody('preview', {
  month: Type.String({ examples: ['2026-11'] }),
  rules,
})

/** The price list: as it is, as a whole, tried out on a month, and models to start from. */
export function priceRoutes(services: RatingServices): readonly Route[] {
  const { administration, points, clock, currencyPlaces } = services
  const rule = 'rating:module_config'
  return [
    route('GET /', {
      rule,
      summary: 'Shows the prices that hold for all projects',
      answers: { 200: priceListAnswer },
      respond: () => priceListView(administration.priceList()),
    }),
    route('PUT /', {
      rule,
      summary: 'Replaces the prices that hold for all projects',
      answers: { 200: priceListAnswer },
      refusals: ['conflict'],
      bodySchema: listSchema,
      async respond({ body, caller }) {
        const list = await administration.replacePriceList(body.rules.map(ruleFromBody), {
          by: caller.userId,
        })
        return priceListView(list)
      },
    }),
    route('POST /preview', {
      rule,
      summary: 'Shows what a month would have cost by other prices, and changes nothing',
      answers: { 200: pricePreviewAnswer },
      refusals: ['bad_request'],
      bodySchema: previewSchema,
      async respond({ body: { month, rules: given } }) {
        const sound = soundRules(given.map(ruleFromBody))
        requireMonth(month, nowSeconds(clock))
        const preview = await previewPrices(points, monthPeriod(month), sound)
        return pricePreviewView(month, preview, currencyPlaces)
      },
    }),
    route('PUT /:model', {
      rule,
      summary: 'Applies a price model',
      answers: { 200: pricesAnswer },
      refusals: ['not_found'],
      async respond({ parameters }) {
        const { model: asked = '' } = parameters
        const model = priceModels.get(asked)
        if (model === undefined)
          throw new ApiError('not_found', `There is no price model '${asked}'`)
        const { addedCount, presentCount, kept } = await administration.applyPriceModel(model)
        return { model: asked, added: addedCount, present: presentCount, kept }
      },
    }),
  ]
}

function ruleFromBody({ description = '', ...rule }: Static<typeof ruleSchema>): PriceRule {
  return { ...rule, description }
}

function priceListView({ rules: listed, otherRuleCount }: PriceList) {
  return { rules: listed, other_rules: otherRuleCount }
}

function pricePreviewView(
  month: Month,
  { cost, preview, metrics, projects }: PricePreview,
  places: number,
) {
  const sums = (sum: PreviewedSum) => ({
    cost: formatPlaces(sum.cost, places),
    preview: formatPlaces(sum.preview, places),
  })
  return {
    month,
    ...sums({ cost, preview }),
    metrics: metrics.map(each => ({
      metric: each.metric,
      unit: each.unit,
      quantity: formatDecimal(each.quantity),
      ...sums(each),
    })),
    projects: projects.map(each => ({ project_id: each.projectId, ...sums(each) })),
  }
}
