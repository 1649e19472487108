import type { Invoice } from '../../rating/invoices/invoice.ts'
import { inTurns } from '../../time-slice.ts'
import { flag, oneOf } from '../openapi/fields.ts'
import { type Route, route } from '../route.ts'
import { invoiceAnswer } from './answers.ts'
import { invoiceCsv, invoiceHtml, invoiceJson, type MoneyForm } from './invoice-form.ts'
import { isExactAskedFor, requestedFormat, requireKnown } from './parameters.ts'
import { newTurns, type RatingServices } from './services.ts'

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

/** Of memory, about. */
const lineOctets = 300

/** What projects have to pay for a month. */
export function invoiceRoutes(services: RatingServices): readonly Route[] {
  const turns = newTurns()
  return [
    route('GET /:project_id/:month', {
      rule: 'summary:get_summary',
      summary: 'Shows what a project has used in a month and what it costs, zone by zone',
      produces: formats.map(({ mediaType }) => mediaType),
      answers: { 200: invoiceAnswer },
      query: { format: oneOf('json', 'csv', 'html'), exact: flag },
      refusals: ['bad_request', 'forbidden'],
      async handler(context) {
        const { query, caller, parameters, requireClient } = context
        requireKnown(query, ['format', 'exact'])
        const { mediaType, write } = requestedFormat(formats, context)
        const { project_id = '', month = '' } = parameters
        const places = isExactAskedFor(query) ? undefined : services.currencyPlaces
        const form = { currency: services.currency, places }
        const invoice = await turns.run(caller.projectId, () =>
          services.invoices.get(caller, project_id, month, requireClient),
        )
        return {
          status: 200,
          headers: {
            'content-type': write === invoiceJson ? mediaType : `${mediaType}; charset=utf-8`,
            ...(mediaType === 'text/html' && { 'content-security-policy': pagePolicy }),
          },
          stream: () => inTurns(write(invoice, form)),
          heldOctets: (invoice.lines.length + invoice.notRated.length) * lineOctets,
        }
      },
    }),
  ]
}

/** The page has a style of its own and nothing else. */
const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
