import { ApiError } from '../../errors.ts'
import type { Changes } from '../../model/changes.ts'
import type { Instant, ScopeState } from '../../model/rating.ts'
import { newStamp, updatedRow } from '../../model/stamped.ts'
import type { Store } from '../../store/store.ts'
import { maxScopeLengths, type ScopeIdentity, setScopeActive } from './scope-state.ts'

/** A scope made by hand. */
type ScopeDraft = ScopeIdentity & Pick<ScopeState, 'isActive' | 'lastProcessed'>

/** What can be changed of a scope by hand; undefined leaves a field unchanged. */
type ScopeChanges = Changes<Omit<ScopeIdentity, 'scopeId'> & Pick<ScopeState, 'isActive'>>

/** Scopes that are created and changed by hand; rating creates and advances the others. */
export class ScopeEdits {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /** Makes a scope before it is first rated.
   *  @throws ApiError bad_request an invalid name, not_found there is one with this id: CloudKitty's type for that */
  async create(draft: ScopeDraft): Promise<ScopeState> {
    requireSoundNames(draft)
    const { scopeId } = draft
    return this.#store.commit(tx => {
      if (tx.count('scopeStates', 'byScope', scopeId) > 0)
        throw new ApiError(
          'not_found',
          `Cannot create a scope with an already existing scope_id: ${scopeId}.`,
        )
      const state = { ...newStamp(tx), ...draft, resumeFrom: null, activationToggled: null }
      return tx.put('scopeStates', state)
    })
  }

  /** Changes the names of a scope other than its id, or switches it on or off.
   *  @throws ApiError bad_request an invalid name, not_found there is no such scope, or several */
  async edit(
    scopeId: string,
    { isActive, ...names }: ScopeChanges,
    now: Instant,
  ): Promise<ScopeState> {
    requireSoundNames(names)
    return this.#store.commit(tx => {
      const [before, ...others] = tx.list('scopeStates', 'byScope', scopeId)
      if (before === undefined)
        throw new ApiError('not_found', 'No resource found for provided filters.')
      if (others.length > 0)
        throw new ApiError(
          'not_found',
          `Too many resources found with the same scope_id: ${scopeId}.`,
        )
      const after = updatedRow(tx, before, {
        ...names,
        ...(isActive !== undefined && setScopeActive(before, isActive, now)),
      })
      if (after !== before) tx.put('scopeStates', after)
      return after
    })
  }
}

/** No name may be empty, too long, contain the separator of the parts of a key, or lack a UTF-8 form. */
function requireSoundNames(names: Changes<ScopeIdentity>): void {
  for (const [key, apiName] of apiNames) {
    const name = names[key]
    const maxLength = maxScopeLengths[key]
    if (name === undefined) continue
    if (name === '' || name.length > maxLength || /\p{Cc}/u.test(name) || !name.isWellFormed())
      throw new ApiError(
        'bad_request',
        `expected 1 to ${maxLength} characters, none of them a control character (path: '['${apiName}']')`,
      )
  }
}

const apiNames = [
  ['scopeId', 'scope_id'],
  ['scopeKey', 'scope_key'],
  ['collector', 'collector'],
  ['fetcher', 'fetcher'],
] as const
