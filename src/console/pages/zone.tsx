import { useLocation, useRoute } from 'preact-iso'
import { urlOf } from '../api/client.ts'
import { getZone, type Zone } from '../api/zones.ts'
import { tagsOf } from '../records/tags.ts'
import { mayChange, session } from '../session.ts'
import { texts } from '../texts.ts'
import { Crumbs } from '../ui/crumbs.tsx'
import { useLoaded } from '../ui/loaded.ts'
import { Loading } from '../ui/loading.tsx'
import { Status } from '../ui/status.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { Tags } from '../ui/tags.tsx'
import { ZoneAccess } from './zone/access.tsx'
import { ZoneDnssec } from './zone/dnssec.tsx'
import { ZoneHistory } from './zone/history.tsx'
import { ZoneRecords } from './zone/records.tsx'
import { ZoneServers } from './zone/servers.tsx'
import { ZoneSettings } from './zone/settings.tsx'
import { Statistics } from './zone/statistics.tsx'
import { ZoneText } from './zone/text.tsx'

type Part =
  | 'records'
  | 'text'
  | 'history'
  | 'dnssec'
  | 'queries'
  | 'servers'
  | 'access'
  | 'settings'

/** One zone: its records, its history, its settings. */
export function ZonePage() {
  const { id = '', part = 'records' } = useRoute().params
  return <OneZone key={id} id={id} part={part} />
}

function OneZone({ id, part }: { readonly id: string; readonly part: string }) {
  const loaded = useLoaded(() => getZone(id), [id])
  const { query } = useLocation()
  const { value: zone, error, reload: refresh, replace: setZone } = loaded
  if (zone === undefined) {
    return (
      <section class="page">
        <Loading error={error} />
      </section>
    )
  }
  const base = `/console/zones/${id}`
  return (
    <section class="page">
      <Crumbs />
      <div class="bar">
        <h1>{zone.name}</h1>
        <Status {...zone} />
        <span class="count">
          {texts.zones.serial} {zone.serial}
        </span>
        <Tags tags={tagsOf(zone.attributes)} />
      </div>
      {zone.status_reason !== null && <p class="reason">{zone.status_reason}</p>}
      <Tabs
        label={texts.zone.parts(zone.name)}
        current={part}
        tabs={partsOf(zone).map(name => ({
          name,
          text: texts.zone[name],
          href: urlOf({ path: name === 'records' ? base : `${base}/${name}`, query }),
        }))}
      />
      {/* What is typed in the records stays while another part is looked at, and so does their filter in the address. */}
      <div hidden={part !== 'records'} class="fill">
        <ZoneRecords zone={zone} onChanged={refresh} />
      </div>
      {part === 'text' && (
        <div class="fill">
          <ZoneText zone={zone} onChanged={refresh} />
        </div>
      )}
      {part === 'history' && <ZoneHistory zone={zone} onChanged={refresh} />}
      {part === 'dnssec' && <ZoneDnssec zone={zone} onChanged={refresh} />}
      {part === 'queries' && <Statistics zone={zone} />}
      {part === 'servers' && <ZoneServers zone={zone} />}
      {part === 'access' && <ZoneAccess zone={zone} onSaved={setZone} />}
      {part === 'settings' && <ZoneSettings zone={zone} onSaved={setZone} />}
    </section>
  )
}

/** A SECONDARY zone cannot be edited, so there is no text of it to edit. Only the project of a zone controls access to it. */
function partsOf({ type, project_id: projectId }: Zone): readonly Part[] {
  const isText = type === 'PRIMARY' && mayChange.value
  const isOwn = projectId === session.value?.project.id && mayChange.value
  return [
    'records',
    ...(isText ? (['text'] as const) : []),
    'history',
    ...(type === 'PRIMARY' ? (['dnssec'] as const) : []),
    ...(isOwn ? (['queries', 'servers', 'access'] as const) : []),
    'settings',
  ]
}
