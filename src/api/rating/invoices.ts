import { ApiError } from '../../errors.ts'
import type { Invoice } from '../../rating/invoices/invoice.ts'
import { inTurns } from '../../time-slice.ts'
import { requireAcceptable } from '../middleware/accept.ts'
import { flag, oneOf } from '../openapi/fields.ts'
import { type RequestContext, type Route, route } from '../route.ts'
import { invoiceAnswer } from './answers.ts'
import { invoiceCsv, invoiceHtml, invoiceJson, type MoneyForm } from './invoice-form.ts'
import { isExactAskedFor, requireKnown, single } from './parameters.ts'
import type { RatingServices } from './services.ts'

type Format = {
  readonly name: string
  readonly mediaType: string
  write(invoice: Invoice, form: MoneyForm): Iterable<string>
}

const formats: readonly Format[] = [
  { name: 'json', mediaType: 'application/json', write: invoiceJson },
  { name: 'csv', mediaType: 'text/csv', write: invoiceCsv },
  { name: 'html', mediaType: 'text/html', write: invoiceHtml },
]
const mediaTypes = formats.map(({ mediaType }) => mediaType)

/** What projects have to pay for a month. */
export function invoiceRoutes(services: RatingServices): readonly Route[] {
  return [
    route('GET /:project_id/:month', {
      rule: 'summary:get_summary',
      summary: 'Shows what a project has used in a month and what it costs, zone by zone',
      produces: mediaTypes,
      answers: { 200: invoiceAnswer },
      query: { format: oneOf('json', 'csv', 'html'), exact: flag },
      refusals: ['bad_request', 'forbidden'],
      async handler(context) {
        const { query, caller, parameters } = context
        requireKnown(query, ['format', 'exact'])
        const { mediaType, write } = formatOf(context)
        const { project_id = '', month = '' } = parameters
        const places = isExactAskedFor(query) ? undefined : services.currencyPlaces
        const form = { currency: services.currency, places }
        const invoice = await services.invoices.get(caller, project_id, month)
        return {
          status: 200,
          headers: {
            'content-type': write === invoiceJson ? mediaType : `${mediaType}; charset=utf-8`,
            ...(mediaType === 'text/html' && { 'content-security-policy': pagePolicy }),
          },
          stream: () => inTurns(write(invoice, form)),
        }
      },
    }),
  ]
}

/** The page has a style of its own and nothing else. */
const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

/** The format that the query names, since a link cannot say what it accepts; else the first that is accepted.
 *  @throws ApiError bad_request, unsupported_accept */
function formatOf({ query, header }: RequestContext): Format {
  const accepted = requireAcceptable(header('accept'), mediaTypes)
  const name = single(query, 'format')
  const format = formats.find(each =>
    name === undefined ? each.mediaType === accepted : each.name === name,
  )
  if (format !== undefined) return format
  const names = formats.map(each => `'${each.name}'`).join(', ')
  throw new ApiError('bad_request', `Invalid format [${name}]. Valid formats are [${names}].`)
}
