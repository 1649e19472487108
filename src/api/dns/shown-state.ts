import type { Action } from '../../model/zone.ts'
import type { ResourceState } from '../../model/zone-state.ts'
import type { Dialect } from '../dialect.ts'

export type StateView = {
  readonly status: string
  readonly action: string
  /** Why the status is ERROR; null otherwise. */
  readonly status_reason: string | null
}

/** What a view shows of a state. `change` is what the request just did: clients that poll for ACTIVE expect its
 *  own answer to show it under way. */
export function shownState(
  { status, action, reason }: ResourceState,
  dialect: Dialect,
  change: Action = 'NONE',
): StateView {
  const isUnderWay = change !== 'NONE' && dialect.showsPending
  if (isUnderWay) return { status: 'PENDING', action: change, status_reason: null }
  return { status, action, status_reason: reason }
}
