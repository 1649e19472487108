import { type Decimal, formatDecimal, formatPlaces, roundToPlaces } from '../../rating/decimal.ts'
import { csvLine } from '../../rating/export.ts'
import {
  type Invoice,
  type InvoiceLine,
  isFinal,
  roundingOf,
  type UsedLine,
  unitPrice,
} from '../../rating/invoices/invoice.ts'
import { formatTimestamp } from '../../rating/timestamp.ts'

// An invoice as JSON, CSV and a page to print. Amounts are text: a JSON reader would round them.

/** How money is written. */
export type MoneyForm = {
  /** Such as EUR; undefined: whatever prices are in. */
  readonly currency: string | undefined
  /** Digits behind the point; undefined: all there are. */
  readonly places: number | undefined
}

/** Digits of a unit price: they are small, and shown with more than sums are. */
const pricePlaces = 10
/** Digits of a quantity on the page; it is exact elsewhere. */
const quantityPlaces = 6
const linesOfPiece = 200

/** An invoice as JSON, in small pieces. */
export function* invoiceJson(invoice: Invoice, form: MoneyForm): Generator<string> {
  const { lines, notRated } = invoice
  const head = JSON.stringify(headOf(invoice, form)).slice(0, -1)
  yield `${head},"lines":`
  yield* arrayJson(lines, line => lineView(line, form))
  yield ',"not_rated":'
  yield* arrayJson(notRated, usedView)
  yield '}'
}

/** As CSV (RFC 4180) with a header, likewise. The lines and the rounding add up to the total. */
export function* invoiceCsv(invoice: Invoice, form: MoneyForm): Generator<string> {
  const columns = ['zone_id', 'zone_name', 'metric', 'tier', 'unit', 'quantity', 'price', 'sum']
  yield csvLine(['kind', ...columns])
  const row = (kind: string, fields: Readonly<Record<string, string | null>>) =>
    csvLine([kind, ...columns.map(name => fields[name] ?? '')])
  yield* inPieces(invoice.lines, line => row('line', lineView(line, form)))
  const { total, rounding } = headOf(invoice, form)
  if (rounding !== null) yield row('rounding', { sum: rounding })
  yield row('total', { unit: form.currency ?? '', sum: total })
  yield* inPieces(invoice.notRated, line => row('not_rated', usedView(line)))
}

/** As a page to print, likewise. */
export function* invoiceHtml(invoice: Invoice, form: MoneyForm): Generator<string> {
  const { project_id, project_name, month, status, currency, rounding, total } = headOf(
    invoice,
    form,
  )
  const until = formatTimestamp(invoice.ratedUntil).slice(0, 16).replace('T', ' ')
  yield `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Invoice ${month}</title>
<style>body{font:14px/1.4 sans-serif;margin:2em}table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:.2em .6em;border-bottom:1px solid #ccc}.n{text-align:right;font-variant-numeric:tabular-nums}
thead{display:table-header-group}tr{break-inside:avoid}tfoot td{font-weight:bold}</style></head><body>
<h1>Invoice ${month}</h1><p>Project ${escaped(project_name === null ? project_id : `${project_name} (${project_id})`)}</p>
<p>${status === 'final' ? 'Final' : `So far, rated until ${until} UTC`}${currency === null ? '' : `. Amounts in ${escaped(currency)}`}</p>
<table><thead>${rowHtml('th', ['Zone', 'Metric', 'Tier', 'Quantity', 'Unit', 'Price', 'Sum'])}</thead><tbody>
`
  yield* inPieces(invoice.lines, line => {
    const { zone_name, metric, tier, unit, price, sum } = lineView(line, form)
    const quantity = readableQuantity(line)
    return rowHtml('td', [zone_name, metric, tier ?? '', quantity, unit, price ?? '', sum])
  })
  if (rounding !== null) yield rowHtml('td', ['Rounding', '', '', '', '', '', rounding])
  yield `</tbody><tfoot>${rowHtml('td', ['Total', '', '', '', currency ?? '', '', total])}</tfoot></table>\n`
  if (invoice.notRated.length > 0) {
    yield `<h2>Used since, not yet rated</h2><table><thead>${rowHtml('th', ['Zone', 'Metric', '', 'Quantity', 'Unit'])}</thead><tbody>\n`
    yield* inPieces(invoice.notRated, line => {
      const { zone_name, metric, unit } = usedView(line)
      return rowHtml('td', [zone_name, metric, '', readableQuantity(line), unit])
    })
    yield '</tbody></table>\n'
  }
  yield '</body></html>\n'
}

function readableQuantity({ quantity }: UsedLine): string {
  return formatDecimal(roundToPlaces(quantity, quantityPlaces))
}

function headOf(invoice: Invoice, form: MoneyForm) {
  const { projectId, projectName = null, month, period, ratedUntil, total } = invoice
  const { currency, places } = form
  const rounding = places === undefined ? undefined : roundingOf(invoice, places)
  const isRounded = rounding !== undefined && rounding.coefficient !== 0n
  return {
    project_id: projectId,
    project_name: projectName,
    month,
    begin: formatTimestamp(period.begin),
    end: formatTimestamp(period.end),
    status: isFinal(invoice) ? 'final' : 'open',
    rated_until: formatTimestamp(ratedUntil),
    currency: currency ?? null,
    rounding: isRounded ? money(rounding, form) : null,
    total: money(total, form),
  }
}

function lineView(line: InvoiceLine, form: MoneyForm) {
  const price = unitPrice(line)
  return {
    ...usedView(line),
    tier: line.tier === '' ? null : line.tier,
    price: price === undefined ? null : formatDecimal(roundToPlaces(price, pricePlaces)),
    sum: money(line.sum, form),
  }
}

function usedView({ zoneId, zoneName, metric, unit, quantity }: UsedLine) {
  return {
    zone_id: zoneId,
    zone_name: zoneName,
    metric,
    unit,
    quantity: formatDecimal(quantity),
  }
}

function money(amount: Decimal, { places }: MoneyForm): string {
  return places === undefined ? formatDecimal(amount) : formatPlaces(amount, places)
}

function* arrayJson<T>(elements: readonly T[], view: (element: T) => unknown): Generator<string> {
  yield '['
  let isFirst = true
  for (const piece of inPieces(elements, each => `,${JSON.stringify(view(each))}`)) {
    yield isFirst ? piece.slice(1) : piece
    isFirst = false
  }
  yield ']'
}

function* inPieces<T>(elements: readonly T[], text: (element: T) => string): Generator<string> {
  for (let from = 0; from < elements.length; from += linesOfPiece)
    yield elements
      .slice(from, from + linesOfPiece)
      .map(text)
      .join('')
}

/** Quantities and amounts stand on the right. */
function rowHtml(cell: 'th' | 'td', texts: readonly string[]): string {
  const cells = texts.map((text, i) => {
    const isNumber = i === 3 || i > 4
    return `<${cell}${isNumber ? ' class="n"' : ''}>${escaped(text)}</${cell}>`
  })
  return `<tr>${cells.join('')}</tr>\n`
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

/** Zone names and attributes that were sent in come from others. */
function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, character => entities[character] ?? '')
}
