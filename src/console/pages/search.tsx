import { useEffect, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import type { Page } from '../api/lists.ts'
import { searchRecordsets } from '../api/recordsets.ts'
import { listZones, type Zone } from '../api/zones.ts'
import type { Recordset } from '../records/recordset.ts'
import { texts } from '../texts.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { Icon } from '../ui/icon.tsx'

const searchAfterMs = 150

type Found = { readonly zones: readonly Zone[]; readonly records: readonly Recordset[] }

const nothing: Found = { zones: [], records: [] }

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
  const { zones, records } = useSearch(text.trim())
  const open = (zoneId: string) => {
    onClose()
    route(`/console/zones/${zoneId}`)
  }
  return (
    <Dialog title={texts.search.title} onClose={onClose} isWide hasClose>
      <Field label={texts.search.hint} value={text} onInput={setText} isFirst />
      <div class="found" aria-live="polite">
        {text !== '' && zones.length + records.length === 0 && <p>{texts.search.nothing}</p>}
        {zones.length > 0 && <h3>{texts.search.zones}</h3>}
        {zones.map(({ id, name }) => (
          <button key={id} type="button" class="quiet" onClick={() => open(id)}>
            {name}
          </button>
        ))}
        {records.length > 0 && <h3>{texts.search.records}</h3>}
        {records.map(({ id, zone_id: zoneId, name, type, records: values }) => (
          <button key={id} type="button" class="quiet" onClick={() => open(zoneId)}>
            {name} {type} {values.join(', ')}
          </button>
        ))}
      </div>
    </Dialog>
  )
}

/** The items of all pages, without duplicates. */
function each<T extends { readonly id: string }>(pages: readonly (Page<T> | undefined)[]) {
  const items = pages.flatMap(page => page?.items ?? [])
  return [...new Map(items.map(one => [one.id, one])).values()]
}

function useSearch(text: string): Found {
  const [found, setFound] = useState(nothing)
  useEffect(() => {
    if (text === '') return setFound(nothing)
    const abort = new AbortController()
    const timer = setTimeout(async () => {
      const { signal } = abort
      const [zones, tagged, byName, byData] = await Promise.all([
        listZones({ name: text, limit: 10 }, signal),
        listZones({ tag: text, limit: 10 }, signal),
        searchRecordsets('name', text, signal),
        searchRecordsets('data', text, signal),
      ]).catch(() => [])
      if (signal.aborted || byData === undefined) return
      setFound({ zones: each([zones, tagged]), records: each([byName, byData]) })
    }, searchAfterMs)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [text])
  return found
}
