import { type UsageRow, usageOfMonth } from '../api/usage.ts'
import { texts } from '../texts.ts'
import { Card } from '../ui/card.tsx'
import { Chart } from '../ui/chart.tsx'
import { DataTable } from '../ui/data-table.tsx'
import { Complaint } from '../ui/field.tsx'
import { useLoaded } from '../ui/loaded.ts'
import { BudgetCard } from './budget.tsx'
import { LimitsCard } from './limits.tsx'

type Usage = Readonly<Record<'metrics' | 'days' | 'zones', readonly UsageRow[]>>

/** What the project has used this month, and what it costs. */
export function UsagePage() {
  const { value: usage, error } = useLoaded(readUsage)
  if (usage === undefined) {
    return error === undefined ? <p>{texts.common.loading}</p> : <Complaint text={error} />
  }
  const { metrics, days, zones } = usage
  return (
    <section class="page scrolls">
      <div class="bar">
        <h1>{texts.usage.title}</h1>
        <a class="button end" href="/console/invoices">
          {texts.usage.invoice}
        </a>
      </div>
      {metrics.length === 0 && <p class="empty">{texts.usage.empty}</p>}
      <div class="cards">
        {metrics.length > 0 && (
          <>
            <Card title={texts.usage.byMetric}>
              <UsageTable title={texts.usage.metric} rows={metrics} column="type" />
            </Card>
            <Card title={texts.usage.byDay}>
              <CostByDay days={days} />
            </Card>
            <Card title={texts.usage.byZone}>
              <UsageTable title={texts.usage.zone} rows={zones} column="zone_name" />
            </Card>
          </>
        )}
        <BudgetCard />
        <LimitsCard />
      </div>
    </section>
  )
}

function CostByDay({ days }: { readonly days: readonly UsageRow[] }) {
  return (
    <Chart
      label={texts.usage.byDay}
      kind="bars"
      times={days.map(({ begin }) => Date.parse(String(begin)) / 1000)}
      lines={[
        {
          label: texts.usage.cost,
          colour: '--accent',
          values: days.map(({ rate }) => Number(rate)),
        },
      ]}
    />
  )
}

type UsageTableProps = {
  readonly title: string
  readonly rows: readonly UsageRow[]
  readonly column: string
}

function UsageTable({ title, rows, column }: UsageTableProps) {
  return (
    <DataTable
      label={title}
      rows={rows}
      keyOf={row => String(row[column])}
      columns={[
        { title, cell: row => row[column] },
        { title: texts.usage.quantity, isNumber: true, cell: row => row.qty },
        { title: texts.usage.cost, isNumber: true, cell: row => row.rate },
      ]}
    />
  )
}

async function readUsage(): Promise<Usage> {
  const [metrics, days, zones] = await Promise.all([
    usageOfMonth('type'),
    usageOfMonth('time-d'),
    usageOfMonth('zone_name', { limit: 50, isDearestFirst: true }),
  ])
  return { metrics, days, zones }
}
