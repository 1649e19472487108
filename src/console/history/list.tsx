import type { ComponentChild } from 'preact'
import { useState } from 'preact/hooks'
import { type Entry, readHistory } from '../api/history.ts'
import { texts } from '../texts.ts'
import { Complaint, Field } from '../ui/field.tsx'
import { usePaged } from '../ui/paged.ts'

type HistoryListProps<T> = {
  /** Such as `/v2/history`. */
  readonly path: string
  /** The version of the object of the history: the list is read again when it changes. */
  readonly version: number
  readonly entry: (entry: T) => ComponentChild
}

/** A history with its filters, the newest first. */
export function HistoryList<T extends Entry>({ path, version, entry }: HistoryListProps<T>) {
  const [actor, setActor] = useState('')
  const [name, setName] = useState('')
  const read = (marker: string | undefined) => readHistory<T>(path, { actor, name }, marker)
  const list = usePaged<T>(`${path} ${actor} ${name}`, read, version)
  return (
    <>
      <div class="bar filters">
        {[
          { label: texts.history.actor, value: actor, set: setActor },
          { label: texts.history.name, value: name, set: setName },
        ].map(({ label, value, set }) => (
          <Field
            key={label}
            label={label}
            hidesLabel
            placeholder={label}
            value={value}
            onInput={set}
          />
        ))}
      </div>
      <Complaint text={list.error} />
      <ol class="entries">{list.items.map(entry)}</ol>
      {list.isEmpty && !list.hasMore && <p class="empty">{texts.history.empty}</p>}
      {list.hasMore && (
        <button type="button" class="more" onClick={list.more} disabled={list.isLoading}>
          {texts.history.older}
        </button>
      )}
    </>
  )
}
