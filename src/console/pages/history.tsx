import type { CommitEntry } from '../api/history.ts'
import { ChangeView, EntryView } from '../history/change.tsx'
import { HistoryList } from '../history/list.tsx'
import { texts } from '../texts.ts'

/** Who changed what on the whole server, for administrators. */
export function HistoryPage() {
  return (
    <section class="page scrolls">
      <div class="bar">
        <h1>{texts.history.title}</h1>
      </div>
      <p class="lead">{texts.history.explain}</p>
      <HistoryList<CommitEntry>
        path="/v2/history"
        version={0}
        entry={({ id, created_at: at, actor, changes }) => (
          <EntryView key={id} at={at} actor={actor}>
            {changes.map((change, place) => (
              <Change key={place} change={change} />
            ))}
          </EntryView>
        )}
      />
    </section>
  )
}

function Change({ change }: { readonly change: CommitEntry['changes'][number] }) {
  if ('zone_id' in change) {
    const { zone_id: id, zone_name: name } = change
    return <ChangeView change={change} zone={<a href={`/console/zones/${id}`}>{name ?? id}</a>} />
  }
  const { resource, action, id } = change
  const verbs: Readonly<Record<string, string>> = texts.history.verbs
  return (
    <p class="entry-what">
      <span>
        {verbs[action] ?? action} {wordsOf(resource)}
      </span>
      <code class="faint">{id}</code>
    </p>
  )
}

/** The name of a collection as words: `zoneExports` is "zone exports". */
function wordsOf(resource: string): string {
  return resource.replaceAll(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`).replaceAll('_', ' ')
}
