import { useLocation, useRoute } from 'preact-iso'
import { getInvoice, type Invoice, type InvoiceLine, invoiceCsv, metricName } from '../api/usage.ts'
import { session } from '../session.ts'
import { texts } from '../texts.ts'
import { Card } from '../ui/card.tsx'
import { DataTable } from '../ui/data-table.tsx'
import { saveFile } from '../ui/download.ts'
import { Choice, Complaint } from '../ui/field.tsx'
import { useLoaded } from '../ui/loaded.ts'
import { notifyFailure } from '../ui/notices.tsx'
import { formatNumber } from '../ui/numbers.ts'
import { formatMonth, formatTime, lastMonths } from '../ui/times.ts'

/** The invoice of a month of the project: on the screen, on paper, or as CSV. */
export function InvoicePage() {
  const { route } = useLocation()
  const [current = ''] = lastMonths()
  const { month = current } = useRoute().params
  const { id = '', name = '' } = session.value?.project ?? {}
  const { value, error } = useLoaded(() => getInvoice(id, month), [id, month])
  const save = async () => saveFile(`${name}-${month}.csv`, await invoiceCsv(id, month))
  return (
    <section class="page scrolls">
      <div class="bar">
        <h1>{texts.invoice.title(formatMonth(month))}</h1>
        <span class="faint">{name}</span>
        <span class="bar end unprinted">
          <Choice
            label={texts.invoice.month}
            hidesLabel
            value={month}
            onChange={next => route(`/console/invoices/${next}`)}
            options={lastMonths().map(one => [one, formatMonth(one)])}
          />
          <button type="button" onClick={() => save().catch(notifyFailure)}>
            {texts.invoice.csv}
          </button>
          <button type="button" class="main" onClick={() => print()}>
            {texts.invoice.print}
          </button>
        </span>
      </div>
      <Complaint text={error} />
      {value?.month === month && <Lines invoice={value} />}
    </section>
  )
}

const used = [
  { title: texts.invoice.zone, cell: (line: Used) => line.zone_name },
  { title: texts.invoice.metric, cell: (line: Used) => metricName(line.metric) },
]
const quantity = {
  title: texts.invoice.quantity,
  isNumber: true,
  cell: (line: Used) => `${formatNumber(Number(line.quantity), 6)} ${line.unit}`,
}

type Used = Pick<InvoiceLine, 'zone_name' | 'metric' | 'quantity' | 'unit'>

function Lines({ invoice }: { readonly invoice: Invoice }) {
  const { status, rated_until: until, lines, not_rated: notRated, currency, total } = invoice
  return (
    <div class="cards">
      <Card
        title={`${texts.invoice.total} ${total} ${currency ?? ''}`}
        explain={status === 'final' ? texts.invoice.final : texts.invoice.open(formatTime(until))}
      >
        <DataTable<InvoiceLine>
          label={texts.invoice.title(formatMonth(invoice.month))}
          rows={lines}
          empty={<p class="faint">{texts.invoice.empty}</p>}
          keyOf={line => `${line.zone_name} ${line.metric} ${line.tier}`}
          columns={[
            ...used,
            { title: texts.invoice.tier, cell: ({ tier }) => tier },
            quantity,
            { title: texts.invoice.price, isNumber: true, cell: ({ price }) => price },
            { title: texts.invoice.sum, isNumber: true, cell: ({ sum }) => sum },
          ]}
        />
        {invoice.rounding !== null && (
          <p class="faint">
            {texts.invoice.rounding} {invoice.rounding}
          </p>
        )}
      </Card>
      {notRated.length > 0 && (
        <Card title={texts.invoice.notRated}>
          <DataTable
            label={texts.invoice.notRated}
            rows={notRated}
            keyOf={line => `${line.zone_name} ${line.metric}`}
            columns={[...used, quantity]}
          />
        </Card>
      )}
    </div>
  )
}
