import { useState } from 'preact/hooks'
import { dayOf, metricName, metricTotals, type Total, usageOfMonth } from '../api/usage.ts'
import { texts } from '../texts.ts'
import { Card } from '../ui/card.tsx'
import { Chart } from '../ui/chart.tsx'
import { DataTable } from '../ui/data-table.tsx'
import { Choice, Complaint } from '../ui/field.tsx'
import { useLoaded } from '../ui/loaded.ts'
import { Loading } from '../ui/loading.tsx'
import { columnFormat } from '../ui/numbers.ts'
import { formatDay } from '../ui/times.ts'
import { BudgetCard } from './budget.tsx'
import { LimitsCard } from './limits.tsx'

/** The metric that days and zones are shown by; undefined for the total cost. */
type Measure = string | undefined

const quantityPlaces = 2
const costPlaces = 6

/** The usage of the project this month, and its cost. */
export function UsagePage() {
  const { value: totals, error } = useLoaded(metricTotals)
  if (totals === undefined) return <Loading error={error} />
  return (
    <section class="page scrolls">
      <div class="bar">
        <h1>{texts.usage.title}</h1>
        <a class="button end" href="/console/invoices">
          {texts.usage.invoice}
        </a>
      </div>
      {totals.length === 0 && <p class="empty">{texts.usage.empty}</p>}
      <div class="cards">
        {totals.length > 0 && <Metered totals={totals} />}
        <BudgetCard />
        <LimitsCard />
      </div>
    </section>
  )
}

/** Where nothing has a price, queries are more informative than a cost of zero. */
function Metered({ totals }: { readonly totals: readonly Total[] }) {
  const isPriced = totals.some(({ cost }) => cost > 0)
  const [measure, setMeasure] = useState<Measure>(isPriced ? undefined : totals[0]?.name)
  const read = async () => {
    const [days, zones] = await Promise.all([
      usageOfMonth('time-d', { metric: measure }),
      usageOfMonth('zone_name', { metric: measure, limit: 50, isLargestFirst: true }),
    ])
    return { measure, days, zones }
  }
  const { value, error } = useLoaded(read, [measure])
  const quantities = columnFormat(
    totals.map(row => amountOf(row, row.name)),
    quantityPlaces,
  )
  const measures = [...(isPriced ? [undefined] : []), ...totals.map(({ name }) => name)]
  return (
    <>
      <Card title={texts.usage.byMetric}>
        <DataTable
          label={texts.usage.byMetric}
          rows={totals}
          keyOf={({ name }) => name}
          columns={[
            { title: texts.usage.metric, cell: ({ name }) => nameOf(name) },
            {
              title: texts.usage.quantity,
              isNumber: true,
              cell: row => quantities.format(amountOf(row, row.name)),
            },
            column(totals, undefined),
          ]}
        />
      </Card>
      <Card
        title={texts.usage.byDay}
        beside={
          <Choice
            label={texts.usage.measure}
            hidesLabel
            value={measure ?? ''}
            onChange={name => setMeasure(name === '' ? undefined : name)}
            options={measures.map(name => [name ?? '', nameOf(name)])}
          />
        }
      >
        <Complaint text={error} />
        {value !== undefined && <ByDay days={value.days} measure={value.measure} />}
      </Card>
      {value !== undefined && value.zones.length > 0 && (
        <Card title={texts.usage.byZone}>
          <DataTable
            label={texts.usage.byZone}
            rows={value.zones}
            keyOf={({ name }) => name}
            columns={[
              { title: texts.usage.zone, cell: ({ name }) => name },
              column(value.zones, value.measure),
            ]}
          />
        </Card>
      )}
    </>
  )
}

type ByDayProps = { readonly days: readonly Total[]; readonly measure: Measure }

function ByDay({ days, measure }: ByDayProps) {
  const label = texts.usage.eachDay(nameOf(measure))
  const rows = days
    .map(row => ({ ...row, at: dayOf(row) }))
    .sort((a, b) => a.at.getTime() - b.at.getTime())
  const values = rows.map(row => amountOf(row, measure))
  return (
    <>
      <Chart
        label={label}
        kind="bars"
        times={rows.map(({ at }) => at.getTime() / 1000)}
        lines={[{ label, colour: '--accent', values }]}
      />
      <details>
        <summary>{texts.usage.asTable}</summary>
        <DataTable
          label={label}
          rows={rows}
          keyOf={({ name }) => name}
          columns={[
            { title: texts.usage.day, cell: ({ at }) => formatDay(at) },
            column(rows, measure),
          ]}
        />
      </details>
    </>
  )
}

function column(rows: readonly Total[], measure: Measure) {
  const amounts = rows.map(row => amountOf(row, measure))
  const format = columnFormat(amounts, measure === undefined ? costPlaces : quantityPlaces)
  return {
    title: nameOf(measure),
    isNumber: true,
    cell: (row: Total) => format.format(amountOf(row, measure)),
  }
}

function nameOf(measure: Measure): string {
  return measure === undefined ? texts.usage.cost : metricName(measure)
}

/** Queries and octets are metered by the million, and shown one by one. */
function amountOf({ quantity, cost }: Total, measure: Measure): number {
  if (measure === undefined) return cost
  const isByMillion = measure === 'dns.queries' || measure === 'dns.bytes'
  return isByMillion ? quantity * 1_000_000 : quantity
}
