import { getTop } from '../api/top.ts'
import { texts } from '../texts.ts'
import { Card } from '../ui/card.tsx'
import { DataTable } from '../ui/data-table.tsx'
import { Complaint } from '../ui/field.tsx'
import { usePolled } from '../ui/loaded.ts'
import { formatNumber } from '../ui/numbers.ts'

const everyMs = 5_000

/** The most frequent queries: zones, names, clients. */
export function TopLists() {
  const { value, error } = usePolled(getTop, everyMs)
  if (value === undefined) return <Complaint text={error} />
  return (
    <div class="tops">
      <TopList
        title={texts.live.topZones}
        rows={value.zones.map(({ zone_id: id, zone_name: name, queries }) => ({
          name,
          queries,
          href: `/console/zones/${id}`,
        }))}
      />
      <TopList
        title={texts.live.topNames}
        rows={value.names.map(({ name, type, queries }) => ({ name: `${name} ${type}`, queries }))}
      />
      <TopList
        title={texts.live.topClients}
        rows={value.clients.map(({ client, queries }) => ({ name: client, queries }))}
      />
    </div>
  )
}

type Row = { readonly name: string; readonly queries: number; readonly href?: string }

function TopList({ title, rows }: { readonly title: string; readonly rows: readonly Row[] }) {
  return (
    <Card title={title}>
      <DataTable
        label={title}
        rows={rows}
        empty={<p class="faint">{texts.live.quiet}</p>}
        keyOf={({ name }) => name}
        columns={[
          {
            title: texts.zones.name,
            cell: ({ name, href }) => (href === undefined ? name : <a href={href}>{name}</a>),
          },
          {
            title: texts.live.asked,
            isNumber: true,
            cell: ({ queries }) => formatNumber(queries),
          },
        ]}
      />
    </Card>
  )
}
