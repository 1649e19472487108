import { ApiError } from '../../errors.ts'
import type { Caller } from '../../identity/caller.ts'
import { isAllowed } from '../../identity/policy.ts'
import {
  type Blacklist,
  type BlacklistDraft,
  blacklistErrors,
  blacklistedZoneMessage,
} from '../../model/blacklist.ts'
import { compilePattern, type NameTest } from '../../model/blacklist-pattern.ts'
import { everything } from '../../store/indexes.ts'
import { otherHolder, type Store, type StoreReader } from '../../store/store.ts'
import { AdminRows } from './admin-rows.ts'

/** Patterns of names that new zones may not have. Existing zones stay. */
export class Blacklists extends AdminRows<'blacklists', BlacklistDraft> {
  constructor(store: Store) {
    super(store, {
      collection: 'blacklists',
      resource: 'blacklist',
      errorsOf: blacklistErrors,
      check: requireNewPattern,
      missing: 'blacklist_not_found',
    })
    // Compiled here and not while the first zone is being created.
    for (const row of store.list('blacklists', 'all', everything)) testOf(row)
  }
}

/** @throws ApiError invalid_zone_name: a blacklist has it, and the caller is not exempt */
export function requireNotBlacklisted(reader: StoreReader, caller: Caller, name: string): void {
  if (!caller.isBoundByBlacklists && isAllowed(caller, 'use_blacklisted_zone')) return
  const lowerName = name.toLowerCase()
  for (const row of reader.list('blacklists', 'all', everything)) {
    if (testOf(row)(lowerName)) throw new ApiError('invalid_zone_name', blacklistedZoneMessage)
  }
}

function requireNewPattern(reader: StoreReader, blacklist: Blacklist): void {
  if (otherHolder(reader, 'blacklists', 'byPattern', blacklist) !== undefined)
    throw new ApiError('duplicate_blacklist', 'Duplicate Blacklist')
}

// Rows never change, so a compiled pattern is valid as long as its row.
const testByRow = new WeakMap<Blacklist, NameTest>()

function testOf(row: Blacklist): NameTest {
  const known = testByRow.get(row)
  if (known !== undefined) return known
  // A pattern that is no longer valid matches nothing: it must not prevent the creation of zones.
  const { test = () => false } = compilePattern(row.pattern)
  testByRow.set(row, test)
  return test
}
