import type { ZoneKey } from '../../dnssec/key.ts'
import { type KeyRole, withGoals } from '../../dnssec/key-goals.ts'
import { dnskeyTtlSeconds } from '../../dnssec/policy.ts'
import { isUnfollowed } from '../../dnssec/presence.ts'
import { advance, dsFollowed, dsSeenAgain, keyRecords, served } from '../../dnssec/rolls.ts'
import type { KeySealing } from '../../dnssec/sealed-key.ts'
import { isGone, wantsDs } from '../../dnssec/views.ts'
import { ApiError } from '../../errors.ts'
import { type DnssecKey, dnssecKeyOf, type StoredDnssecKey } from '../../model/dnssec-key.ts'
import { wantedKeys } from '../../model/dnssec-policy.ts'
import { defaultTtlSeconds } from '../../model/limits.ts'
import { changedRow } from '../../model/stamped.ts'
import type { Zone } from '../../model/zone.ts'
import type { StoreReader, Transaction } from '../../store/store.ts'
import { findHostedParent, putHostedDs } from '../rules/hosted-parent.ts'
import { advanceZone, forgetExpiring } from '../rules/zone-rows.ts'
import { dsTextsOf, findPolicy, getPolicy, keysOf, newKey } from './key-rows.ts'
import type { ParentNews } from './parent-check.ts'

/** The delay of servers and caches beyond TTLs, here and at the parent: an hour, and an hour as a margin. */
const propagationSeconds = 2 * 3600

export type KeyStepParts = {
  readonly sealing: KeySealing
  readonly keyOf: (row: DnssecKey) => ZoneKey
}

/** The keys of a zone, without those still to be made, and whether a step is due at a time. */
export function plannedKeys(
  reader: StoreReader,
  zone: Zone,
  now: number,
): { readonly keys: readonly DnssecKey[]; readonly isDue: boolean } {
  const before = keysOf(reader, zone.id)
  const { keys, missing } = withGoals(before, wantedOf(reader, zone), { now })
  const after = advance(keys, now)
  return { keys: before, isDue: missing.length > 0 || after.some((key, i) => key !== before[i]) }
}

/** Takes all due steps of a zone's keys in one commit: keys, serial, and the DS in a parent on this server.
 *  @param retired a role whose keys are to be replaced
 *  @throws ApiError bad_request a key would be needed that is not made here */
export function stepKeys(
  tx: Transaction,
  zone: Zone,
  parts: KeyStepParts & { readonly retired?: KeyRole | undefined },
): void {
  const { dnssec } = zone
  if (dnssec === undefined) return
  const now = tx.atMicros
  const before = keysOf(tx, zone.id)
  const { retired, sealing } = parts
  const { keys, missing } = withGoals(before, wantedOf(tx, zone), { now, retired })
  for (const want of missing) keys.push(newKey(tx, zone, { want, others: keys, sealing }))
  const advanced = advance(keys, now)
  const isInsecure = advanced.every(({ ds }) => ds === null || ds.state === 'HIDDEN')
  if (dnssec.isLeaving === true && isInsecure) {
    unsign(tx, zone)
    return
  }
  const after = withHostedDs(tx, zone, { after: advanced, keyOf: parts.keyOf })
  if (putKeys(tx, before, after) && dnssec.signedAt !== null) advanceZone(tx, zone)
}

/** Notes that a zone is answered with the DNSKEY that its keys call for. */
export function noteServedKeys(tx: Transaction, zone: Zone): void {
  const before = keysOf(tx, zone.id)
  putKeys(tx, before, served(before, 'dnskey', until(tx.atMicros, dnskeyTtlOf(zone))))
}

/** Notes that all of a zone is signed by the keys that have to sign it.
 *  @param longestTtlSeconds of the signed records */
export function noteSigned(tx: Transaction, zone: Zone, longestTtlSeconds: number): void {
  const before = keysOf(tx, zone.id)
  const longest = Math.max(longestTtlSeconds, zone.soaTimers.minimumSeconds)
  putKeys(tx, before, served(before, 'zoneSignatures', until(tx.atMicros, longest)))
  // Secondaries fetch new signatures only when the serial is another.
  advanceZone(tx, zone)
}

/** Notes that the parent has followed with the DS of some keys, and has the DS of others again.
 *  @param ttlSeconds of the DS there; undefined: not known */
export function noteParent(
  tx: Transaction,
  zone: Zone,
  {
    keyIds,
    returnedIds = [],
    ttlSeconds = 86_400,
  }: Pick<ParentNews, 'keyIds'> & Partial<ParentNews>,
): void {
  const before = keysOf(tx, zone.id)
  const at = until(tx.atMicros, ttlSeconds)
  const after = before.map(key => {
    if (returnedIds.includes(key.id)) return dsSeenAgain(key)
    return keyIds.includes(key.id) ? dsFollowed(key, at) : key
  })
  putKeys(tx, before, after)
}

/** Restores the keys of a deleted zone as they were, since caches hold signatures of these keys. The default replaces a policy
 *  that no longer exists.
 *  @throws ApiError bad_request a key cannot be read */
export function putRestoredKeys(
  tx: Transaction,
  zone: Zone,
  {
    keys: stored,
    keyOf,
  }: { readonly keys: readonly StoredDnssecKey[]; readonly keyOf: KeyStepParts['keyOf'] },
): Zone {
  const { dnssec } = zone
  if (dnssec === undefined) return zone
  const keys = stored.map(key => changedRow(tx, dnssecKeyOf(key), {}))
  for (const key of keys) tx.put('dnssecKeys', key)
  const policy = findPolicy(tx, dnssec.policy)?.id ?? 'default'
  const signed = tx.put('zones', { ...zone, dnssec: { ...dnssec, policy } })
  try {
    const records = wantedDs(tx, signed, { keys, keyOf })
    const parent = findHostedParent(tx, signed)
    if (parent !== undefined) putHostedDs(tx, { parent, child: signed, records })
  } catch (error) {
    const message = `A key of the zone cannot be read: ${(error as Error).message}`
    throw new ApiError('bad_request', message)
  }
  return signed
}

/** Removes a zone's signatures and keys, and its DS from a parent on this server. */
export function unsign(tx: Transaction, zone: Zone): void {
  const { dnssec: _, ...unsigned } = zone
  for (const { id } of keysOf(tx, zone.id)) tx.delete('dnssecKeys', id)
  forgetExpiring(tx, zone.id)
  const parent = findHostedParent(tx, zone)
  if (parent !== undefined) putHostedDs(tx, { parent, child: zone, records: [] })
  advanceZone(tx, unsigned)
}

function wantedOf(reader: StoreReader, { dnssec }: Zone) {
  if (dnssec === undefined || dnssec.isLeaving === true) return []
  return wantedKeys(getPolicy(reader, dnssec.policy))
}

/** A cache may remember for that long that there was no DNSKEY. */
function dnskeyTtlOf({ soaTimers }: Zone): number {
  return Math.max(dnskeyTtlSeconds, soaTimers.minimumSeconds)
}

function until(now: number, ttlSeconds: number): number {
  return now + (ttlSeconds + propagationSeconds) * 1_000_000
}

/** Puts the wanted DS into the parent, if it is on this server: caches follow from now on. */
function withHostedDs(
  tx: Transaction,
  zone: Zone,
  { after, keyOf }: { readonly after: DnssecKey[]; readonly keyOf: KeyStepParts['keyOf'] },
): DnssecKey[] {
  if (!after.some(({ ds }) => isUnfollowed(ds))) return after
  const parent = findHostedParent(tx, zone)
  if (parent === undefined || zone.dnssec === undefined) return after
  const records = wantedDs(tx, zone, { keys: after, keyOf })
  putHostedDs(tx, { parent, child: zone, records })
  const at = until(tx.atMicros, parent.ttlSeconds ?? defaultTtlSeconds)
  return after.map(key => dsFollowed(key, at))
}

/** The DS that the parent should have now. */
function wantedDs(
  reader: StoreReader,
  zone: Zone,
  { keys, keyOf }: { readonly keys: readonly DnssecKey[]; readonly keyOf: KeyStepParts['keyOf'] },
): string[] {
  const wanted = keys.filter(wantsDs).map(keyOf)
  return dsTextsOf(zone, wanted, getPolicy(reader, zone.dnssec?.policy ?? 'default'))
}

/** Writes the changed keys and removes the obsolete ones; returns whether another set is served. */
function putKeys(
  tx: Transaction,
  before: readonly DnssecKey[],
  after: readonly DnssecKey[],
): boolean {
  let isOther = false
  for (const key of after) {
    const known = before.find(({ id }) => id === key.id)
    if (known === key) continue
    isOther ||= known === undefined || keyRecords.some(it => known[it]?.state !== key[it]?.state)
    if (key.goal === 'HIDDEN' && isGone(key)) tx.delete('dnssecKeys', key.id)
    else tx.put('dnssecKeys', known === undefined ? key : changedRow(tx, known, key))
  }
  return isOther
}
