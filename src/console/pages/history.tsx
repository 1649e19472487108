import { useState } from 'preact/hooks'
import type { CommitEntry, UndoTarget, ZoneChange } from '../api/history.ts'
import { ChangeView, EntryView } from '../history/change.tsx'
import { HistoryList } from '../history/list.tsx'
import { UndoDialog } from '../history/undo-dialog.tsx'
import { isAdmin, mayChange, session } from '../session.ts'
import { texts } from '../texts.ts'
import { formatTime } from '../ui/times.ts'

type Change = CommitEntry['changes'][number]
type Words = Readonly<Record<string, string>>
type Undoing = { readonly zoneId: string; readonly target: UndoTarget }

/** Who changed what in the zones of the project; for administrators, on the whole server. */
export function HistoryPage() {
  const [undoing, setUndoing] = useState<Undoing>()
  const [version, setVersion] = useState(0)
  const project = session.value?.project.name ?? ''
  return (
    <section class="page scrolls">
      <div class="bar">
        <h1>{texts.history.title}</h1>
      </div>
      <p class="lead">
        {isAdmin.value ? texts.history.explain : texts.history.explainProject(project)}
      </p>
      <HistoryList<CommitEntry>
        path="/v2/history"
        version={version}
        entry={entry => (
          <EntryView
            key={entry.id}
            at={entry.created_at}
            actor={entry.actor}
            actions={<Actions entry={entry} onChosen={setUndoing} />}
          >
            {entry.changes.length === 0 && <p class="faint">{texts.history.tooLarge}</p>}
            {entry.changes.map((change, place) => (
              <OneChange key={place} change={change} />
            ))}
          </EntryView>
        )}
      />
      {undoing !== undefined && (
        <UndoDialog
          zoneId={undoing.zoneId}
          target={undoing.target}
          onClose={() => setUndoing(undefined)}
          onUndone={() => setVersion(version + 1)}
        />
      )}
    </section>
  )
}

type ActionsProps = {
  readonly entry: CommitEntry
  readonly onChosen: (undoing: Undoing) => void
}

/** Administrators see the zones of all projects, and undo what was done in their own. */
function Actions({ entry: { id, created_at: at, actor, changes }, onChosen }: ActionsProps) {
  const isOwn = !isAdmin.value || actor?.project_id === session.value?.project.id
  if (!(isOwn && mayChange.value)) return null
  return (
    <>
      {changes.filter(isUpdate).map(({ zone_id: zoneId, zone_name: name }) => (
        <button
          key={zoneId}
          type="button"
          class="quiet"
          aria-label={texts.history.undoIn(name ?? zoneId, formatTime(at))}
          onClick={() => onChosen({ zoneId, target: { change: id } })}
        >
          {texts.history.undo}
        </button>
      ))}
    </>
  )
}

function isUpdate(change: Change): change is { readonly resource: 'zones' } & ZoneChange {
  return 'zone_id' in change && change.action === 'update'
}

function OneChange({ change }: { readonly change: Change }) {
  if ('zone_id' in change) {
    const { zone_id: id, zone_name: name } = change
    return <ChangeView change={change} zone={<a href={`/console/zones/${id}`}>{name ?? id}</a>} />
  }
  const { resource, action, id } = change
  const { verbs, collections }: Readonly<Record<'verbs' | 'collections', Words>> = texts.history
  return (
    <p class="entry-what">
      <span>
        {verbs[action] ?? action} {collections[resource] ?? resource}
      </span>
      <code class="faint">{id}</code>
    </p>
  )
}
