import type { Action } from '../../model/zone.ts'
import type { ResourceState } from '../../model/zone-state.ts'
import type { Dialect } from '../dialect.ts'

type StateView = {
  readonly status: string
  readonly action: string
  /** Why the status is ERROR; null otherwise. */
  readonly status_reason: string | null
}

/** The state as a view shows it. `change` is the change that the request has just made: clients that poll for ACTIVE expect
 *  its response to show it in progress. */
export function shownState(
  { status, action, reason }: ResourceState,
  dialect: Dialect,
  change: Action = 'NONE',
): StateView {
  const isUnderWay = change !== 'NONE' && dialect.showsPending
  if (isUnderWay) return { status: 'PENDING', action: change, status_reason: null }
  return { status, action, status_reason: reason }
}
