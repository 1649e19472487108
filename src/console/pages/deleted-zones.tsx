import { useLocation } from 'preact-iso'
import { type DeletedZone, listDeletedZones, restoreZone } from '../api/deleted-zones.ts'
import { mayChange } from '../session.ts'
import { texts } from '../texts.ts'
import { Crumbs } from '../ui/crumbs.tsx'
import { DataTable } from '../ui/data-table.tsx'
import { Complaint } from '../ui/field.tsx'
import { notify, notifyFailure } from '../ui/notices.tsx'
import { usePaged } from '../ui/paged.ts'
import { formatTime } from '../ui/times.ts'

/** Zones that were deleted and can be restored. */
export function DeletedZonesPage() {
  const { route } = useLocation()
  const list = usePaged('', marker => listDeletedZones(marker))
  const restore = async ({ id, name }: DeletedZone) => {
    await restoreZone(id)
    notify(texts.deletedZones.restored(name))
    route(`/console/zones/${id}`)
  }
  return (
    <section class="page scrolls">
      <Crumbs />
      <h1>{texts.deletedZones.title}</h1>
      <p class="lead">{texts.deletedZones.explain}</p>
      <Complaint text={list.error} />
      {list.items.length > 0 && (
        <DataTable
          label={texts.deletedZones.title}
          rows={list.items}
          keyOf={({ id }) => id}
          columns={[
            { title: texts.zones.name, cell: ({ name }) => name },
            { title: texts.zones.type, cell: ({ type }) => texts.zones.types[type] },
            { title: texts.zones.serial, cell: ({ serial }) => serial },
            { title: texts.deletedZones.deleted, cell: row => formatTime(row.deleted_at) },
          ]}
          actions={zone => [
            mayChange.value && {
              text: texts.deletedZones.restore,
              label: texts.deletedZones.restoreZone(zone.name),
              run: () => void restore(zone).catch(notifyFailure),
            },
          ]}
        />
      )}
      {list.isEmpty && !list.hasMore && <p class="empty">{texts.deletedZones.empty}</p>}
      {list.hasMore && (
        <button type="button" class="more" onClick={list.more} disabled={list.isLoading}>
          {texts.history.older}
        </button>
      )}
    </section>
  )
}
