import { ApiError } from '../../errors.ts'
import type { Instant, Reprocess, ScopeState } from '../../model/rating.ts'
import { hourBegin, hourSeconds, type Period } from '../period.ts'
import { overlaps } from '../segments/restrict.ts'
import { formatTimestamp } from '../timestamp.ts'
import type { UsedFrom } from './catch-up.ts'

/** What to rate again, as requested. */
export type ReprocessRequest = Pick<Reprocess, 'reason' | 'start' | 'end'> & {
  readonly scopeIds: readonly string[]
}

/** Selects every scope. */
const allScopes = 'ALL'

/** Checks an order against the current states and orders, and returns its scopes: each once, in order of their ids.
 *  @throws ApiError bad_request */
export function scopesToReprocess(
  request: ReprocessRequest,
  current: { readonly states: readonly ScopeState[]; readonly reprocesses: readonly Reprocess[] },
): readonly string[] {
  requireSound(request)
  const { scopeIds, start, end } = request
  const known = new Set(current.states.map(state => state.scopeId))
  const chosen = scopeIds.includes(allScopes) ? known : new Set(scopeIds)
  const unknown = [...chosen].filter(scopeId => !known.has(scopeId))
  if (unknown.length > 0) {
    refuse(
      `Scopes ${listText(unknown)} scheduled to reprocess [start=${formatTimestamp(start)}, end=${formatTimestamp(end)}] do not exist.`,
    )
  }
  const isChosen = ({ scopeId }: { readonly scopeId: string }) => chosen.has(scopeId)
  for (const state of current.states.filter(isChosen)) requireRated(request, state)
  for (const other of current.reprocesses.filter(isChosen)) {
    requireApart(request, other)
  }
  return [...chosen].sort()
}

/** The next period of an order; undefined when the order is done. With `usedFrom`, periods without usage are
 *  skipped, up to the last period, which completes the order. */
export function nextReprocessPeriod(
  { start, end, current }: Reprocess,
  usedFrom: UsedFrom = from => from,
): Period | undefined {
  const next = current === null ? start : current + hourSeconds
  const used = hourBegin(usedFrom(next))
  const begin = Math.max(next, Math.min(used, end - hourSeconds))
  return begin < end ? { begin, end: begin + hourSeconds } : undefined
}

function requireSound({ scopeIds, reason, start, end }: ReprocessRequest) {
  if (scopeIds.includes(allScopes) && scopeIds.length > 1) {
    refuse(`Cannot use 'ALL' with scope ID [${listText(scopeIds)}]: 'ALL' stands for every scope.`)
  }
  if (reason.trim() === '') {
    refuse(
      'Empty or blank reason text is not allowed. Please, do inform/register the reason for the reprocessing of a previously processed timestamp.',
    )
  }
  if (end < start) {
    refuse(
      `End reprocessing timestamp [${formatTimestamp(end)}] cannot be less than start reprocessing timestamp [${formatTimestamp(start)}].`,
    )
  }
  const near = alignedWindow({ begin: start, end })
  if (near.begin !== start || near.end !== end) {
    const texts = [near.begin, near.end].map(formatTimestamp)
    refuse(
      `The provided reprocess time window does not comply with the configured collector period. A valid time window near the provided one is ${listText(texts)}`,
    )
  }
}

/** The window of whole periods near a given one; at least one period, unless the given one is aligned and empty. */
function alignedWindow({ begin, end }: Period): Period {
  const aligned = { begin: hourBegin(begin), end: hourBegin(end) }
  const isSound = aligned.begin === begin && aligned.end === end
  if (isSound || aligned.begin < aligned.end) return aligned
  return { begin: aligned.begin, end: aligned.end + hourSeconds }
}

/** What was not rated yet cannot be rated again. */
function requireRated({ start, end }: ReprocessRequest, state: ScopeState): void {
  const last: Instant = state.lastProcessed ?? Number.NEGATIVE_INFINITY
  const lastText = state.lastProcessed === null ? 'None' : formatTimestamp(state.lastProcessed)
  if (start > last) {
    refuse(
      `Cannot execute a reprocessing [start=${formatTimestamp(start)}] for scope [${state.scopeId}] starting after the last possible timestamp [${lastText}].`,
    )
  }
  if (end > last) {
    refuse(
      `Cannot execute a reprocessing [end=${formatTimestamp(end)}] for scope [${state.scopeId}] ending after the last possible timestamp [${lastText}].`,
    )
  }
}

function requireApart(request: ReprocessRequest, other: Reprocess): void {
  if (nextReprocessPeriod(other) === undefined) return
  const [asked, scheduled] = [request, other].map(({ start, end }) => ({ begin: start, end }))
  if (asked === undefined || scheduled === undefined || !overlaps(asked, scheduled)) return
  refuse(
    `Cannot schedule a reprocessing for scope [${other.scopeId}] for reprocessing time [${windowText(asked)}], because it already has a schedule for a similar time range [${windowText(scheduled)}].`,
  )
}

function windowText({ begin, end }: Period): string {
  return `${formatTimestamp(begin)} - ${formatTimestamp(end)}`
}

function listText(texts: readonly string[]): string {
  return `[${texts.map(text => `'${text}'`).join(', ')}]`
}

function refuse(message: string): never {
  throw new ApiError('bad_request', message)
}
