import { useCallback, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { urlOf } from '../api/client.ts'
import { listZones, type Zone } from '../api/zones.ts'
import { tagsOf } from '../records/tags.ts'
import { mayChange } from '../session.ts'
import { texts } from '../texts.ts'
import { Complaint, Field } from '../ui/field.tsx'
import { Menu } from '../ui/menu.tsx'
import { usePaged } from '../ui/paged.ts'
import { Status } from '../ui/status.tsx'
import { Tags } from '../ui/tags.tsx'
import { formatTime } from '../ui/times.ts'
import { VirtualRows } from '../ui/virtual-rows.tsx'
import { AcceptZone } from './accept-zone.tsx'
import { NewZone } from './new-zone.tsx'

/** The zones of the project. The filter is in the address, so that the user comes back to it. */
export function ZonesPage() {
  const { query, route } = useLocation()
  const { filter = '' } = query
  const setFilter = (text: string) =>
    route(urlOf({ path: '/console/', query: { filter: text } }), true)
  const [isCreating, setCreating] = useState(false)
  const [isAccepting, setAccepting] = useState(false)
  const zones = usePaged(filter, (marker, signal) =>
    listZones({ ...queryOf(filter), ...(marker !== undefined && { marker }) }, signal),
  )
  const cells = useCallback((at: number) => zoneCells(zones.items[at]), [zones.items])
  return (
    <section class="page">
      <div class="bar">
        <h1>{texts.zones.title}</h1>
        <span class="count">{texts.zones.count(zones.items.length, zones.total)}</span>
        <Field
          label={texts.zones.filter}
          hidesLabel
          placeholder={texts.zones.filter}
          value={filter}
          onInput={setFilter}
        />
        {mayChange.value && (
          <span class="bar end">
            <Menu label={texts.records.more}>
              <button type="button" onClick={() => setAccepting(true)}>
                {texts.access.accept}
              </button>
              <a href="/console/deleted-zones">{texts.deletedZones.title}</a>
            </Menu>
            <a class="button" href="/console/import">
              {texts.zones.import}
            </a>
            <button type="button" class="main" onClick={() => setCreating(true)}>
              {texts.zones.create}
            </button>
          </span>
        )}
      </div>
      <Complaint text={zones.error} />
      {zones.isEmpty ? (
        <p class="empty">{filter === '' ? texts.zones.empty : texts.zones.noMatch}</p>
      ) : (
        <VirtualRows
          label={texts.zones.title}
          columns={[
            texts.zones.name,
            texts.zones.status,
            texts.zones.type,
            texts.zones.serial,
            texts.zones.changed,
          ]}
          count={zones.items.length}
          kind="zones"
          cells={cells}
          onNearEnd={zones.more}
        />
      )}
      {isCreating && <NewZone onClose={() => setCreating(false)} />}
      {isAccepting && <AcceptZone onClose={() => setAccepting(false)} />}
    </section>
  )
}

/** Names have no colon. */
function queryOf(filter: string) {
  return filter.includes(':') ? { tag: filter } : { name: filter }
}

function zoneCells(zone: Zone | undefined) {
  if (zone === undefined) return []
  return [
    <>
      <a href={`/console/zones/${zone.id}`}>{zone.name}</a>
      <Tags tags={tagsOf(zone.attributes)} />
    </>,
    <Status key="status" {...zone} />,
    texts.zones.types[zone.type],
    zone.serial,
    formatTime(zone.updated_at ?? zone.created_at),
  ]
}
