import { refuseMissing } from '../../errors.ts'
import type { Changes } from '../../model/changes.ts'
import { defaultPoolId } from '../../model/pool.ts'
import type { TsigKey, TsigKeyDraft } from '../../model/tsig-key.ts'
import type { Store } from '../../store/store.ts'
import type { TsigKeys } from './tsig-keys.ts'

/** The fields of a new key of the default pool. */
type DefaultPoolKeyDraft = Omit<TsigKeyDraft, 'scope' | 'resourceId'>

/** The TSIG keys of the default pool, as the older API has them: it knows no other pools and no keys of zones. */
export type DefaultPoolKeys = ReturnType<typeof defaultPoolKeys>

export function defaultPoolKeys(store: Store, tsigKeys: TsigKeys) {
  /** @throws ApiError tsigkey_not_found */
  const get = (id: string): TsigKey => {
    const key = tsigKeys.get(id)
    return key.resourceId === defaultPoolId ? key : refuseMissing('tsigkey_not_found')
  }
  return {
    get,
    /** Lists all of them, the oldest first. */
    list: () => [...store.list('tsigKeys', 'byResource', defaultPoolId)],
    /** @throws ApiError invalid_object, duplicate_tsigkey */
    create: (draft: DefaultPoolKeyDraft) =>
      tsigKeys.create({ ...draft, scope: 'POOL', resourceId: defaultPoolId }),
    /** @throws ApiError tsigkey_not_found, invalid_object, duplicate_tsigkey */
    update: async (id: string, changes: Changes<DefaultPoolKeyDraft>) =>
      tsigKeys.update(get(id).id, changes),
    /** @throws ApiError tsigkey_not_found */
    delete: async (id: string) => tsigKeys.delete(get(id).id),
  }
}
