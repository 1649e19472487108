import { useState } from 'preact/hooks'
import type { UndoTarget, ZoneEntry } from '../../api/history.ts'
import type { Zone } from '../../api/zones.ts'
import { ChangeView, EntryView } from '../../history/change.tsx'
import { HistoryList } from '../../history/list.tsx'
import { UndoDialog } from '../../history/undo-dialog.tsx'
import { mayChange } from '../../session.ts'
import { texts } from '../../texts.ts'
import { formatTime } from '../../ui/times.ts'

type ZoneHistoryProps = { readonly zone: Zone; readonly onChanged: () => void }

/** Who changed what in a zone, and undoing it. */
export function ZoneHistory({ zone, onChanged }: ZoneHistoryProps) {
  const [target, setTarget] = useState<UndoTarget>()
  const mayUndo = zone.type === 'PRIMARY' && mayChange.value
  return (
    <div class="scrolls fill">
      <HistoryList<ZoneEntry>
        path={`/v2/zones/${zone.id}/history`}
        version={zone.serial}
        entry={entry => (
          <EntryView
            key={entry.id}
            at={entry.created_at}
            actor={entry.actor}
            actions={
              mayUndo && entry.action === 'update' && <Actions entry={entry} onChosen={setTarget} />
            }
          >
            <ChangeView change={entry} />
          </EntryView>
        )}
      />
      {target !== undefined && (
        <UndoDialog
          zoneId={zone.id}
          target={target}
          onClose={() => setTarget(undefined)}
          onUndone={onChanged}
        />
      )}
    </div>
  )
}

type ActionsProps = {
  readonly entry: ZoneEntry
  readonly onChosen: (target: UndoTarget) => void
}

function Actions({ entry, onChosen }: ActionsProps) {
  const { id, serial_before: serial, created_at: at } = entry
  return (
    <>
      <button
        type="button"
        class="quiet"
        aria-label={texts.history.undoThis(formatTime(at))}
        onClick={() => onChosen({ change: id })}
      >
        {texts.history.undo}
      </button>
      {serial !== null && (
        <button
          type="button"
          class="quiet"
          aria-label={texts.history.goBackTo(serial)}
          onClick={() => onChosen({ serial })}
        >
          {texts.history.goBack}
        </button>
      )}
    </>
  )
}
