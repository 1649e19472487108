import type { Actor } from '../api/history.ts'
import { texts } from '../texts.ts'

/** Who made a change: a name. */
export function actorName(actor: Actor): string {
  if (actor === null) return texts.history.somebody
  const { user_name: user, tsig_key: key, job, road } = actor
  return user ?? key ?? job ?? road
}

/** How a change was made: through which interface, with which credential, from where. */
export function actorWay(actor: Actor): string {
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
export function fieldValue(value: unknown): string {
  if (value === null || value === undefined || value === '') return texts.history.nothing
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The numbers of added and removed lines. */
export function countLines(lines: readonly string[]): string {
  const added = lines.filter(line => line.startsWith('+')).length
  return texts.history.lines(added, lines.length - added)
}
