import { useEffect, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { urlOf } from '../api/client.ts'
import type { Page } from '../api/lists.ts'
import { searchRecordsets } from '../api/recordsets.ts'
import { listZones, type Zone } from '../api/zones.ts'
import type { Recordset } from '../records/recordset.ts'
import { texts } from '../texts.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Complaint, Field } from '../ui/field.tsx'
import { Icon } from '../ui/icon.tsx'

const searchAfterMs = 150

type Found = {
  readonly zones: readonly Zone[]
  readonly records: readonly Recordset[]
  readonly error?: string
}

/** Finds zones and records of the project while the user types; opened by a button or by Ctrl+K. */
export function Search() {
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      if (event.key !== 'k' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      setOpen(true)
    }
    addEventListener('keydown', open)
    return () => removeEventListener('keydown', open)
  }, [])
  return (
    <>
      <button type="button" class="search" onClick={() => setOpen(true)}>
        <Icon name="search" />
        {texts.nav.search} <kbd>{texts.nav.searchKeys}</kbd>
      </button>
      {isOpen && <SearchDialog onClose={() => setOpen(false)} />}
    </>
  )
}

function SearchDialog({ onClose }: { readonly onClose: () => void }) {
  const { route } = useLocation()
  const [text, setText] = useState('')
  const found = useSearch(text.trim())
  const { zones = [], records = [], error } = found ?? {}
  const open = (zoneId: string, recordName?: string) => {
    onClose()
    route(urlOf({ path: `/console/zones/${zoneId}`, query: { filter: recordName } }))
  }
  return (
    <Dialog title={texts.search.title} onClose={onClose} isWide hasClose>
      <Field label={texts.search.hint} value={text} onInput={setText} isFirst />
      <div class="found" aria-live="polite">
        <Complaint text={error} />
        {found !== undefined && error === undefined && zones.length + records.length === 0 && (
          <p>{texts.search.nothing}</p>
        )}
        {zones.length > 0 && <h3>{texts.search.zones}</h3>}
        {zones.map(({ id, name }) => (
          <button key={id} type="button" class="quiet" onClick={() => open(id)}>
            {name}
          </button>
        ))}
        {records.length > 0 && <h3>{texts.search.records}</h3>}
        {records.map(({ id, zone_id: zoneId, name, type, records: values }) => (
          <button key={id} type="button" class="quiet" onClick={() => open(zoneId, name)}>
            {name} {type} {values.join(', ')}
          </button>
        ))}
      </div>
    </Dialog>
  )
}

async function search(text: string, signal: AbortSignal): Promise<Found> {
  const [zones, tagged, byName, byData] = await Promise.all([
    listZones({ name: text, limit: 10 }, signal),
    listZones({ tag: text, limit: 10 }, signal),
    searchRecordsets('name', text, signal),
    searchRecordsets('data', text, signal),
  ])
  return { zones: each([zones, tagged]), records: each([byName, byData]) }
}

/** The items of all pages, without duplicates. */
function each<T extends { readonly id: string }>(pages: readonly Page<T>[]) {
  const items = pages.flatMap(page => page.items)
  return [...new Map(items.map(one => [one.id, one])).values()]
}

/** What was found last; undefined before that. */
function useSearch(text: string): Found | undefined {
  const [found, setFound] = useState<Found>()
  useEffect(() => {
    if (text === '') return setFound(undefined)
    const abort = new AbortController()
    const timer = setTimeout(async () => {
      const { signal } = abort
      const next = await search(text, signal).catch(({ message }: Error) => ({
        ...{ zones: [], records: [] },
        error: message,
      }))
      if (!signal.aborted) setFound(next)
    }, searchAfterMs)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [text])
  return found
}
