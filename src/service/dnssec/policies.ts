import { ApiError } from '../../errors.ts'
import {
  builtInPolicies,
  type DnssecPolicy,
  type DnssecPolicyDraft,
  dnssecPolicyErrors,
} from '../../model/dnssec-policy.ts'
import { requireValid } from '../../model/field-rules.ts'
import { otherHolder, type Store, type StoreReader } from '../../store/store.ts'
import { AdminRows } from '../rules/admin-rows.ts'

/** Policies for the keys of zones, besides the built-in ones. Zones follow changes of their policy. */
export class DnssecPolicies extends AdminRows<'dnssecPolicies', DnssecPolicyDraft> {
  constructor(store: Store) {
    super(store, {
      collection: 'dnssecPolicies',
      resource: 'dnssec_policy',
      errorsOf: () => [],
      check: requireSound,
      checkRemoval: requireUnused,
      missing: 'dnssec_policy_not_found',
    })
  }
}

function requireSound(reader: StoreReader, policy: DnssecPolicy): void {
  requireValid('dnssec_policy', dnssecPolicyErrors(policy))
  const isBuiltIn = builtInPolicies.some(({ name }) => name === policy.name)
  if (isBuiltIn || otherHolder(reader, 'dnssecPolicies', 'byName', policy) !== undefined)
    throw new ApiError('duplicate_dnssec_policy', 'Duplicate DnssecPolicy')
}

function requireUnused(reader: StoreReader, { id }: DnssecPolicy): void {
  const count = reader.count('zones', 'byDnssecPolicy', id)
  if (count === 0) return
  throw new ApiError('conflict', `${count} zones are signed by the policy: give them another first`)
}
