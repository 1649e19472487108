import type { ScopeState } from '../../src/model/rating.ts'
import { at } from './usage.ts'

/** A scope of the DNS meter, as it appeared in October 2026. */
export function scopeState(scopeId: string, more: Partial<ScopeState> = {}): ScopeState {
  return {
    id: scopeId,
    version: 1,
    createdAt: at('2026-10-05T08:15') * 1e6,
    updatedAt: null,
    scopeId,
    scopeKey: 'project_id',
    collector: 'dns',
    fetcher: 'dns',
    lastProcessed: null,
    resumeFrom: null,
    isActive: true,
    activationToggled: null,
    ...more,
  }
}
