import { dnsEndpoint } from '../../api/server.ts'
import { getStatistics, type ZoneStatistics } from '../../api/statistics.ts'
import type { Zone } from '../../api/zones.ts'
import { isAdmin } from '../../session.ts'
import { texts } from '../../texts.ts'
import { Card } from '../../ui/card.tsx'
import { Copy } from '../../ui/copy.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Complaint } from '../../ui/field.tsx'
import { useLoaded, usePolled } from '../../ui/loaded.ts'
import { formatNumber } from '../../ui/numbers.ts'
import { formatTime } from '../../ui/times.ts'

const everyMs = 3_000

/** What was answered for a zone. */
export function Statistics({ zone }: { readonly zone: Zone }) {
  const { value, error } = usePolled(() => getStatistics(zone), everyMs, [zone.id])
  if (value === undefined) return <Complaint text={error} />
  const { responses, response_octets: octets, since } = value
  if (responses === 0) return <NoQueries zone={zone} />
  const size = `${formatNumber(octets / 1000, 1)} kB`
  return (
    <div class="scrolls fill">
      <div class="cards">
        <Card
          title={texts.statistics.title(formatNumber(responses))}
          explain={texts.statistics.since(formatTime(since), size)}
        />
        <Shares title={texts.statistics.rcode} counts={value.by_rcode} />
        <Shares title={texts.statistics.type} counts={value.by_type} />
        <Shares title={texts.statistics.transport} counts={value.by_transport} />
      </div>
    </div>
  )
}

/** Shows administrators the address at which this server answers, whatever the names of its name servers. */
function NoQueries({ zone }: { readonly zone: Zone }) {
  const { value } = useLoaded(async () => (isAdmin.value ? dnsEndpoint() : undefined))
  return (
    <>
      <p class="empty">{texts.statistics.empty}</p>
      {value !== undefined && <Copy label={texts.statistics.tryIt} text={digOf(zone, value)} />}
    </>
  )
}

function digOf(
  zone: Zone,
  { host, port }: { readonly host: string; readonly port: string },
): string {
  return `dig @${host} -p ${port} ${zone.name} SOA`
}

type SharesProps = { readonly title: string; readonly counts: ZoneStatistics['by_type'] }

/** Counts with their shares of all, the largest first. */
function Shares({ title, counts }: SharesProps) {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const rows = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a)
  return (
    <Card title={title}>
      <DataTable
        label={title}
        rows={rows}
        keyOf={([name]) => name}
        columns={[
          { title: texts.zones.name, cell: ([name]) => name },
          {
            title: texts.usage.quantity,
            isNumber: true,
            cell: ([, count]) => formatNumber(count),
          },
          {
            title: texts.statistics.shareTitle,
            cell: ([, count]) => (
              <span class="share">
                <meter min={0} max={1} value={count / all} aria-label={title} />
                {texts.statistics.share(formatNumber((100 * count) / all, 1))}
              </span>
            ),
          },
        ]}
      />
    </Card>
  )
}
