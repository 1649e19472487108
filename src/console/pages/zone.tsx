import { useEffect, useState } from 'preact/hooks'
import { useRoute } from 'preact-iso'
import { getZone, type Zone } from '../api/zones.ts'
import { mayChange } from '../session.ts'
import { texts } from '../texts.ts'
import { Complaint } from '../ui/field.tsx'
import { Status } from '../ui/status.tsx'
import { ZoneRecords } from './zone/records.tsx'
import { ZoneSettings } from './zone/settings.tsx'
import { ZoneText } from './zone/text.tsx'

type Tab = 'records' | 'text' | 'settings'

/** One zone: its records and its settings. */
export function ZonePage() {
  const { params } = useRoute()
  const id = params.id ?? ''
  const [zone, setZone] = useState<Zone>()
  const [error, setError] = useState<string>()
  const [tab, setTab] = useState<Tab>('records')
  useEffect(() => {
    setZone(undefined)
    getZone(id).then(setZone, failure => setError(failure.message))
  }, [id])
  if (zone === undefined) {
    return error === undefined ? <p>{texts.common.loading}</p> : <Complaint text={error} />
  }
  const refresh = () => void getZone(zone.id).then(setZone)
  return (
    <section class="page">
      <div class="bar">
        <a href="/console/">{texts.zones.title}</a>
        <h1>{zone.name}</h1>
        <Status {...zone} />
        <span class="count">
          {texts.zones.serial} {zone.serial}
        </span>
        <fieldset class="tabs">
          {tabsOf(zone).map(one => (
            <button key={one} type="button" aria-pressed={tab === one} onClick={() => setTab(one)}>
              {texts.zone[one]}
            </button>
          ))}
        </fieldset>
      </div>
      {zone.status_reason !== null && <p class="reason">{zone.status_reason}</p>}
      <div hidden={tab !== 'records'} class="fill">
        <ZoneRecords zone={zone} onChanged={refresh} />
      </div>
      {tab === 'text' && (
        <div class="fill">
          <ZoneText zone={zone} onChanged={refresh} />
        </div>
      )}
      {tab === 'settings' && <ZoneSettings zone={zone} onSaved={setZone} />}
    </section>
  )
}

/** A SECONDARY zone cannot be edited, so there is no text of it to edit. */
function tabsOf({ type }: Zone): readonly Tab[] {
  return type === 'PRIMARY' && mayChange.value
    ? ['records', 'text', 'settings']
    : ['records', 'settings']
}
