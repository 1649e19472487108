import { getQuotas } from '../api/accounts.ts'
import { listZones } from '../api/zones.ts'
import { session } from '../session.ts'
import { texts } from '../texts.ts'
import { Card } from '../ui/card.tsx'
import { Complaint } from '../ui/field.tsx'
import { useLoaded } from '../ui/loaded.ts'
import { formatNumber } from '../ui/numbers.ts'

/** The limits of the project, and how much of each is used. */
export function LimitsCard() {
  const projectId = session.value?.project.id ?? ''
  const read = async () => {
    const [quotas, { total }] = await Promise.all([getQuotas(projectId), listZones({ limit: 1 })])
    return { quotas, total }
  }
  const { value, error } = useLoaded(read, [projectId])
  const { quotas = {}, total = 0 } = value ?? {}
  const { zones = -1, ...others } = quotas
  const names: Readonly<Record<string, string>> = texts.limits.names
  return (
    <Card title={texts.limits.title} explain={texts.limits.explain}>
      <Complaint text={error} />
      {value !== undefined && (
        <dl class="facts">
          <div>
            <dt>{texts.zones.title}</dt>
            <dd class="share">
              {zones >= 0 && (
                <meter
                  min={0}
                  max={Math.max(zones, 1)}
                  high={Math.max(zones, 1) * 0.9}
                  value={total}
                  aria-label={texts.zones.title}
                />
              )}
              {zones < 0
                ? texts.limits.unlimited(formatNumber(total))
                : texts.limits.used(formatNumber(total), formatNumber(zones))}
            </dd>
          </div>
          {Object.entries(others).map(([name, limit]) => (
            <div key={name}>
              <dt>{names[name] ?? name.replaceAll('_', ' ')}</dt>
              <dd>{limit < 0 ? texts.limits.none : formatNumber(limit)}</dd>
            </div>
          ))}
        </dl>
      )}
    </Card>
  )
}
