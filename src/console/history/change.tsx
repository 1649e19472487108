import type { ComponentChildren } from 'preact'
import type { Actor, ZoneChange } from '../api/history.ts'
import { texts } from '../texts.ts'
import { Difference } from '../ui/difference.tsx'
import { formatTime } from '../ui/times.ts'

const shownLines = 12

type EntryViewProps = {
  readonly at: string
  readonly actor: Actor
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}

/** An entry of a history: who, when, how, and what. */
export function EntryView({ at, actor, actions, children }: EntryViewProps) {
  return (
    <li class="entry">
      <div class="entry-head">
        <strong>{actorName(actor)}</strong>
        <time dateTime={`${at}Z`}>{formatTime(at)}</time>
        <span class="faint">{actorWay(actor)}</span>
        <span class="entry-actions">{actions}</span>
      </div>
      {children}
    </li>
  )
}

type ChangeViewProps = {
  readonly change: ZoneChange
  /** The zone, where the context does not show it. */
  readonly zone?: ComponentChildren
}

/** What was done to a zone, as lines of a zone file. */
export function ChangeView({ change, zone = texts.history.thisZone }: ChangeViewProps) {
  const { action, serial_before: before, serial, fields, diff, is_whole: isWhole } = change
  return (
    <>
      <p class="entry-what">
        <span>
          {texts.history.verbs[action]} {zone}
        </span>
        <span class="faint">{texts.history.serials(before, serial)}</span>
        {diff !== null && diff.length > 0 && <span class="faint">{countLines(diff)}</span>}
      </p>
      {fields.length > 0 && (
        <ul class="entry-fields">
          {fields.map(({ name, before, after }) => (
            <li key={name}>{texts.history.field(name, fieldValue(before), fieldValue(after))}</li>
          ))}
        </ul>
      )}
      {diff === null && <p class="faint">{texts.history.tooLarge}</p>}
      {action === 'update' && isWhole && diff?.length === 0 && fields.length === 0 && (
        <p class="faint">{texts.history.onlySerial}</p>
      )}
      {diff !== null && diff.length > 0 && <Lines lines={diff.map(shownLine)} />}
      {diff !== null && !isWhole && <p class="faint">{texts.history.cut}</p>}
    </>
  )
}

/** Without the gap where the TTL is the zone's. */
function shownLine(line: string): string {
  return line.replace('  IN ', ' IN ')
}

/** Shows a few lines directly, and many behind a button. */
function Lines({ lines }: { readonly lines: readonly string[] }) {
  if (lines.length <= shownLines) return <Difference lines={lines} />
  return (
    <details>
      <summary>{texts.history.showLines(lines.length)}</summary>
      <Difference lines={lines} />
    </details>
  )
}

/** Who made a change: a name. */
function actorName(actor: Actor): string {
  if (actor === null) return texts.history.somebody
  const { user_name: user, tsig_key: key, job, road } = actor
  return user ?? key ?? job ?? road
}

/** How a change was made: through which interface, with which credential, from where. */
function actorWay(actor: Actor): string {
  if (actor === null) return ''
  const { road, application_credential: credential, address } = actor
  const roads: Readonly<Record<string, string>> = texts.history.roads
  return [
    roads[road] ?? road,
    credential && texts.history.with(credential.name),
    address !== null && texts.history.fromAddress(address),
  ]
    .filter(part => typeof part === 'string')
    .join(' ')
}

/** A value of a zone's field, short. */
function fieldValue(value: unknown): string {
  if (value === null || value === undefined || value === '') return texts.history.nothing
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The numbers of added and removed lines. */
function countLines(lines: readonly string[]): string {
  const added = lines.filter(line => line.startsWith('+')).length
  return texts.history.lines(added, lines.length - added)
}
