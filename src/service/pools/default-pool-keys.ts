import { refuseMissing } from '../../errors.ts'
import type { Changes } from '../../model/changes.ts'
import { defaultPoolId } from '../../model/pool.ts'
import type { TsigKey, TsigKeyDraft } from '../../model/tsig-key.ts'
import type { Store } from '../../store/store.ts'
import type { TsigKeys } from './tsig-keys.ts'

/** The fields of a new key of the default pool. */
export type DefaultPoolKeyDraft = Omit<TsigKeyDraft, 'scope' | 'resourceId'>

type DefaultPoolKeysOptions = { readonly store: Store; readonly tsigKeys: TsigKeys }

/** The TSIG keys of the default pool, as the older API has them: it knows no other pools and no keys of zones. */
export class DefaultPoolKeys {
  readonly #store: Store
  readonly #tsigKeys: TsigKeys

  constructor({ store, tsigKeys }: DefaultPoolKeysOptions) {
    this.#store = store
    this.#tsigKeys = tsigKeys
  }

  /** Lists all of them, the oldest first. */
  list(): readonly TsigKey[] {
    return [...this.#store.list('tsigKeys', 'byResource', defaultPoolId)]
  }

  /** @throws ApiError tsigkey_not_found */
  get(id: string): TsigKey {
    const key = this.#tsigKeys.get(id)
    return key.resourceId === defaultPoolId ? key : refuseMissing('tsigkey_not_found')
  }

  /** @throws ApiError invalid_object, duplicate_tsigkey */
  create(draft: DefaultPoolKeyDraft): Promise<TsigKey> {
    return this.#tsigKeys.create({ ...draft, scope: 'POOL', resourceId: defaultPoolId })
  }

  /** @throws ApiError tsigkey_not_found, invalid_object, duplicate_tsigkey */
  async update(id: string, changes: Changes<DefaultPoolKeyDraft>): Promise<TsigKey> {
    return this.#tsigKeys.update(this.get(id).id, changes)
  }

  /** @throws ApiError tsigkey_not_found */
  async delete(id: string): Promise<void> {
    await this.#tsigKeys.delete(this.get(id).id)
  }
}
