import { ZoneKey } from '../../dnssec/key.ts'
import { bindPrivateKeyOf, pemOf, readPrivateKey } from '../../dnssec/key-file.ts'
import { type KeyRole, recordsOf } from '../../dnssec/key-goals.ts'
import { hidden, omnipresent } from '../../dnssec/presence.ts'
import type { KeySealing } from '../../dnssec/sealed-key.ts'
import { ApiError } from '../../errors.ts'
import type { Caller } from '../../identity/caller.ts'
import { boundOf, type DnssecKey } from '../../model/dnssec-key.ts'
import { wantedKeys } from '../../model/dnssec-policy.ts'
import { changedRow, newStamp } from '../../model/stamped.ts'
import type { Store } from '../../store/store.ts'
import { hasHostedDs } from '../rules/hosted-parent.ts'
import { getChangeableZone, getOwnZone, getZone } from '../rules/zone-access.ts'
import { putCountedRoll } from './dnssec.ts'
import { getKey, getPolicy, hasTagOf, keysOf } from './key-rows.ts'
import { stepKeys } from './key-steps.ts'

type DnssecKeysOptions = {
  readonly store: Store
  readonly sealing: KeySealing
  readonly keyOf: (row: DnssecKey) => ZoneKey
}

/** A key with its public part. */
export type ShownKey = { readonly row: DnssecKey; readonly dnskey: string }

/** More than a policy and a roll together need. */
const maxKeys = 8

/** Lists, imports, exports and deletes keys of zones. */
export class DnssecKeys {
  readonly #options: DnssecKeysOptions

  constructor(options: DnssecKeysOptions) {
    this.#options = options
  }

  /** @throws ApiError zone_not_found */
  list(caller: Caller, zoneId: string): readonly ShownKey[] {
    const { store } = this.#options
    return keysOf(store, getZone(store, caller, zoneId).id).map(row => this.#shown(row))
  }

  /** @throws ApiError zone_not_found, dnssec_key_not_found */
  get(caller: Caller, zoneId: string, keyId: string): ShownKey {
    const { store } = this.#options
    return this.#shown(getKey(store, getZone(store, caller, zoneId).id, keyId))
  }

  /** The private part of a key, in both forms.
   *  @throws ApiError zone_not_found, forbidden, dnssec_key_not_found */
  export(
    caller: Caller,
    zoneId: string,
    keyId: string,
  ): { readonly pem: string; readonly bind: string } {
    const { store, keyOf } = this.#options
    const key = keyOf(getKey(store, getOwnZone(store, caller, zoneId).id, keyId))
    return { pem: pemOf(key), bind: bindPrivateKeyOf(key) }
  }

  /** Imports a key. For a zone that is not signed here it is a key with which the zone is signed elsewhere, and stays in use;
   *  but where the parent is hosted here and has no DS, no resolver validates by it yet, and it is introduced like a new key.
   *  In a signed zone it replaces those of its role.
   *  @param text PEM or BIND's form
   *  @throws ApiError zone_not_found, forbidden, over_quota; bad_request it cannot be read, is there already, or an earlier roll is
   *  not over */
  async import(
    caller: Caller,
    zoneId: string,
    { text, role }: { readonly text: string; readonly role: KeyRole },
  ): Promise<ShownKey> {
    const pkcs8 = readKey(text)
    const { tag, algorithm } = new ZoneKey(pkcs8, { isEntry: role !== 'ZSK' })
    const { store, sealing } = this.#options
    const row = await store.commit(tx => {
      const zone = getChangeableZone(tx, caller, zoneId)
      const { dnssec } = zone
      const others = keysOf(tx, zoneId)
      if (others.length >= maxKeys) {
        throw new ApiError('over_quota', `A zone has at most ${maxKeys} keys`)
      }
      if (hasTagOf(others, tag)) {
        throw new ApiError('bad_request', `The zone has a key of the tag ${tag} already`)
      }
      const stamp = newStamp(tx)
      const privateKey = sealing.seal(pkcs8, boundOf({ id: stamp.id, zoneId }))
      const isUsedElsewhere = dnssec === undefined && hasHostedDs(tx, zone) !== false
      const records = recordsOf(role, isUsedElsewhere ? omnipresent : hidden)
      const own = { zoneId, algorithm, tag, role, privateKey, goal: 'OMNIPRESENT' } as const
      const key: DnssecKey = { ...stamp, ...own, ...records }
      if (dnssec === undefined) {
        tx.put('dnssecKeys', key)
        return key
      }
      const wanted = wantedKeys(getPolicy(tx, dnssec.policy))
      if (!wanted.some(want => want.role === role && want.algorithm === algorithm)) {
        throw new ApiError('bad_request', 'The policy of the zone has no such keys')
      }
      if (others.some(({ goal }) => goal === 'HIDDEN') || dnssec.signedAt === null) {
        throw new ApiError(
          'bad_request',
          'The zone is being signed, or an earlier roll is not over',
        )
      }
      for (const other of others) {
        if (other.role !== role) continue
        tx.put('dnssecKeys', changedRow<DnssecKey>(tx, other, { goal: 'HIDDEN' }))
      }
      tx.put('dnssecKeys', key)
      stepKeys(tx, putCountedRoll(tx, zone, dnssec), this.#options)
      return key
    })
    return this.#shown(row)
  }

  /** Deletes a key of a zone that is not signed. Keys of a signed zone are rolled instead: when one may go depends on caches.
   *  @throws ApiError zone_not_found, forbidden, dnssec_key_not_found; bad_request the zone is signed */
  async delete(caller: Caller, zoneId: string, keyId: string): Promise<void> {
    await this.#options.store.commit(tx => {
      const zone = getChangeableZone(tx, caller, zoneId)
      getKey(tx, zoneId, keyId)
      if (zone.dnssec !== undefined) {
        throw new ApiError(
          'bad_request',
          'Keys of a signed zone are replaced by a roll, not deleted',
        )
      }
      tx.delete('dnssecKeys', keyId)
    })
  }

  #shown(row: DnssecKey): ShownKey {
    return { row, dnskey: this.#options.keyOf(row).dnskeyText() }
  }
}

/** @throws ApiError bad_request */
function readKey(text: string): Buffer {
  try {
    return readPrivateKey(text)
  } catch (error) {
    throw new ApiError(
      'bad_request',
      `The private key cannot be taken: ${(error as Error).message}`,
    )
  }
}
