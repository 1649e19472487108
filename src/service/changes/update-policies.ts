import type { FieldError } from '../../errors.ts'
import type { Caller } from '../../identity/caller.ts'
import { formatError, requireValid } from '../../model/field-rules.ts'
import { parseNetwork } from '../../model/network.ts'
import { canonicalOwnerName, ownerNameProblem } from '../../model/owner-name.ts'
import { requireNameInZone } from '../../model/recordset-name.ts'
import { changedRow, type RowVersion } from '../../model/stamped.ts'
import type { UpdateRule } from '../../model/update-policy.ts'
import type { Store } from '../../store/store.ts'
import { requireVersion } from '../rules/row-versions.ts'
import { getChangeableZone, getOwnZone } from '../rules/zone-access.ts'

/** The rules for who may change zones by dynamic update. */
export class UpdatePolicies {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /** @throws ApiError zone_not_found; forbidden it is another project's that shares it */
  get(caller: Caller, zoneId: string): readonly UpdateRule[] {
    return getOwnZone(this.#store, caller, zoneId).updateRules ?? []
  }

  /** @param expected the versions the zone may have; any when not given
   *  @throws ApiError zone_not_found, forbidden, bad_request, invalid_object, invalid_recordset_location, precondition_failed */
  set(
    caller: Caller,
    zoneId: string,
    rules: readonly UpdateRule[],
    expected?: readonly RowVersion[],
  ): Promise<readonly UpdateRule[]> {
    requireValid('update_policy', rules.flatMap(ruleErrors))
    return this.#store.commit(tx => {
      const zone = getChangeableZone(tx, caller, zoneId)
      requireVersion(zone, expected)
      for (const { name } of rules) if (name !== null) requireNameInZone(name, zone.name)
      tx.put('zones', changedRow(tx, zone, { updateRules: rules }))
      return rules
    })
  }
}

function ruleErrors(rule: UpdateRule, i: number): (FieldError | undefined)[] {
  const { keyName, addresses, match, name } = rule
  const needsName = match === 'name' || match === 'subdomain' || match === 'wildcard'
  const errors = [
    keyName === null && addresses.length === 0
      ? problemOf(i, 'addresses', 'a rule without a key needs addresses')
      : undefined,
    needsName === (name !== null)
      ? undefined
      : problemOf(i, 'name', `match ${match} ${needsName ? 'needs a' : 'has no'} name`),
    keyName === null && match.startsWith('self')
      ? problemOf(i, 'match', `match ${match} needs a key`)
      : undefined,
    match === 'wildcard' && name !== null && !name.startsWith('*.')
      ? problemOf(i, 'name', 'a wildcard begins with *.')
      : undefined,
    ...addresses
      .filter(text => parseNetwork(text) === undefined)
      .map(text => problemOf(i, 'addresses', `${text} is no address or network`)),
  ]
  const problem = name === null ? undefined : ownerNameProblem(name.replace(/^\*\./, ''), 'any')
  return [
    ...errors,
    name === null
      ? undefined
      : formatError('name', canonicalOwnerName(name), { format: 'hostname', problem }),
  ]
}

function problemOf(i: number, field: string, message: string): FieldError {
  return { path: ['rules', i, field], message, validator: 'format' }
}
