import { parseName } from '../../dns/name.ts'
import { algorithms, newPrivateKey, ZoneKey } from '../../dnssec/key.ts'
import { recordsOf, type WantedKey } from '../../dnssec/key-goals.ts'
import { hidden } from '../../dnssec/presence.ts'
import type { KeySealing } from '../../dnssec/sealed-key.ts'
import { ApiError, requireFound } from '../../errors.ts'
import { boundOf, type DnssecKey, dnssecKeyOf } from '../../model/dnssec-key.ts'
import { builtInPolicies, type DnssecPolicy } from '../../model/dnssec-policy.ts'
import { newStamp } from '../../model/stamped.ts'
import type { Zone } from '../../model/zone.ts'
import type { StoreReader, Transaction } from '../../store/store.ts'

/** The keys of a zone, by creation. */
export function keysOf(reader: StoreReader, zoneId: string): DnssecKey[] {
  const rows = Array.from(reader.list('dnssecKeys', 'byZone', zoneId), dnssecKeyOf)
  return rows.sort((one, other) => one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1))
}

/** @throws ApiError dnssec_key_not_found */
export function getKey(reader: StoreReader, zoneId: string, keyId: string): DnssecKey {
  const key = keysOf(reader, zoneId).find(({ id }) => id === keyId)
  return requireFound(key, 'dnssec_key_not_found')
}

export function findPolicy(reader: StoreReader, id: string): DnssecPolicy | undefined {
  return builtInPolicies.find(policy => policy.id === id) ?? reader.get('dnssecPolicies', id)
}

/** @throws ApiError dnssec_policy_not_found */
export function getPolicy(reader: StoreReader, id: string): DnssecPolicy {
  return requireFound(findPolicy(reader, id), 'dnssec_policy_not_found')
}

/** Returns a new key of a zone, not yet published.
 *  @param others keys of the zone, whose tags the new key must not have
 *  @throws ApiError bad_request keys of its algorithm come from elsewhere */
export function newKey(
  tx: Transaction,
  zone: Zone,
  {
    want: { role, algorithm },
    others,
    sealing,
  }: {
    readonly want: Pick<WantedKey, 'role' | 'algorithm'>
    readonly others: readonly DnssecKey[]
    readonly sealing: KeySealing
  },
): DnssecKey {
  if (algorithm === algorithms.rsaSha256) {
    const message = 'Keys of algorithm 8 are not made here: import one'
    throw new ApiError('bad_request', message)
  }
  for (;;) {
    const pkcs8 = newPrivateKey(algorithm)
    const { tag } = new ZoneKey(pkcs8, { isEntry: role !== 'ZSK' })
    // Validators would try every key with the same tag (CVE-2023-50387).
    if (hasTagOf(others, tag)) continue
    const stamp = newStamp(tx)
    const privateKey = sealing.seal(pkcs8, boundOf({ id: stamp.id, zoneId: zone.id }))
    const states = { goal: 'OMNIPRESENT', ...recordsOf(role, hidden) } as const
    return { ...stamp, zoneId: zone.id, algorithm, tag, role, privateKey, ...states }
  }
}

/** Whether one of the keys has a tag, revoked or not. */
export function hasTagOf(keys: readonly DnssecKey[], tag: number): boolean {
  return keys.some(key => (key.tag & ~revokedBit) === (tag & ~revokedBit))
}

/** RFC 5011 section 7. */
const revokedBit = 128

/** DS of keys as text, one for each kind of digest. */
export function dsTextsOf(
  zone: Zone,
  keys: readonly ZoneKey[],
  { dsDigests }: Pick<DnssecPolicy, 'dsDigests'>,
): string[] {
  const apex = parseName(zone.name)
  return keys.flatMap(key => dsDigests.map(digest => key.dsText(apex, digest)))
}
