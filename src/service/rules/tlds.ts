import { ApiError } from '../../errors.ts'
import { type Tld, type TldDraft, tldErrors } from '../../model/tld.ts'
import { enclosingNames } from '../../model/zone-name.ts'
import { everything } from '../../store/indexes.ts'
import { otherHolder, type Store, type StoreReader } from '../../store/store.ts'
import { AdminRows } from './admin-rows.ts'

/** The names below which zones may be created; without any, zones may be created anywhere. */
export class Tlds extends AdminRows<'tlds', TldDraft> {
  constructor(store: Store) {
    super(store, {
      collection: 'tlds',
      resource: 'tld',
      errorsOf: tldErrors,
      check: requireNewName,
      missing: 'tld_not_found',
    })
  }
}

/** @throws ApiError invalid_zone_name: the name is below no TLD, or is one itself */
export function requireKnownTld(reader: StoreReader, name: string): void {
  if (reader.count('tlds', 'all', everything) === 0) return
  const lowerName = name.toLowerCase()
  const isTld = (absolute: string): boolean =>
    reader.find('tlds', 'byName', absolute.slice(0, -1)) !== undefined
  if (isTld(lowerName)) {
    throw new ApiError('invalid_zone_name', 'Zone name cannot be the same as a TLD')
  }
  if (enclosingNames(lowerName).some(isTld)) return
  const message = 'Invalid TLD: administrators keep a list of TLDs here, and the name is below none'
  throw new ApiError('invalid_zone_name', message)
}

function requireNewName(reader: StoreReader, tld: Tld): void {
  if (otherHolder(reader, 'tlds', 'byName', tld) !== undefined)
    throw new ApiError('duplicate_tld', 'Duplicate Tld')
}
