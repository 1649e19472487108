import { ApiError } from '../../errors.ts'
import { quote } from '../../model/quote.ts'
import { type TsigKey, type TsigKeyDraft, tsigKeyErrors } from '../../model/tsig-key.ts'
import { otherHolder, type Store, type StoreReader } from '../../store/store.ts'
import { AdminRows } from '../rules/admin-rows.ts'
import { type TsigKeyUses, usesOf } from './tsig-key-uses.ts'

/** The secrets shared with other servers, each for a pool or a zone. */
export class TsigKeys extends AdminRows<'tsigKeys', TsigKeyDraft> {
  readonly #store: Store

  constructor(store: Store) {
    super(store, {
      collection: 'tsigKeys',
      resource: 'tsigkey',
      errorsOf: tsigKeyErrors,
      check(reader, key) {
        requireNewName(reader, key)
        requireResource(reader, key)
      },
      missing: 'tsigkey_not_found',
    })
    this.#store = store
  }

  /** What names a key. @throws ApiError tsigkey_not_found */
  async usesOf(id: string): Promise<TsigKeyUses> {
    return usesOf(this.#store, this.get(id))
  }
}

function requireNewName(reader: StoreReader, key: TsigKey): void {
  if (otherHolder(reader, 'tsigKeys', 'byName', key) !== undefined)
    throw new ApiError('duplicate_tsigkey', 'Duplicate TsigKey')
}

/** Designate accepts a key with the scope of a zone and the id of a pool, or the other way round: the id decides what the key
 *  is for.
 *  @throws ApiError invalid_tsigkey */
function requireResource(reader: StoreReader, { resourceId }: TsigKey): void {
  if (reader.get('pools', resourceId) ?? reader.get('zones', resourceId)) return
  throw new ApiError('invalid_tsigkey', `There is no pool or zone ${quote(resourceId)}`)
}
