import {
  followedAt,
  introduced,
  isServed,
  type Presence,
  rememberedSince,
  settled,
  unfollowed,
  withdrawn,
} from './presence.ts'
import { isValidInEveryCache, type KeyRecords, wantsDs } from './views.ts'

// All rolls use one procedure: each key has a goal, and its records come and go as soon as no resolver can be left behind
// (Schaeffer, Overeinder, Mekking: Flexible and Robust Key Rollover in DNSSEC; timing by RFC 7583). Signing a zone, going
// insecure and new keys of whatever role and algorithm differ in the goals only.

export type RollingKey = KeyRecords & {
  readonly id: string
  /** Whether its records are to come or to go. */
  readonly goal: 'OMNIPRESENT' | 'HIDDEN'
}

/** Records of a key that come and go independently. */
export const keyRecords = ['zoneSignatures', 'dnskey', 'ds'] as const
export type KeyRecord = (typeof keyRecords)[number]

/** Returns the keys after all due steps: changes that caches have followed are settled, and records that may come or go
 *  begin to. A key without a due step is returned unchanged. Later `served` or `dsFollowed` tells from when caches follow
 *  those steps. */
export function advance<Key extends RollingKey>(keys: readonly Key[], now: number): Key[] {
  let current = settledKeys(keys, now)
  for (let next: Key[] | undefined = current; next !== undefined; next = nextStep(current, now)) {
    current = next
  }
  return current
}

/** Notes that all servers of the zone have the begun change of its DNSKEY or its signatures. */
export function served<Key extends RollingKey>(
  keys: readonly Key[],
  record: 'dnskey' | 'zoneSignatures',
  until: number,
): Key[] {
  return keys.map(key => {
    const presence = key[record]
    return presence === null ? key : withPresence(key, record, followedAt(presence, until))
  })
}

/** Notes that all servers of the parent have the DS of a key, or that none has it any more, whichever is awaited. */
export function dsFollowed<Key extends RollingKey>(key: Key, until: number): Key {
  return key.ds === null ? key : withPresence(key, 'ds', followedAt(key.ds, until))
}

/** Notes that a server of the parent has the DS of a key that was gone: the parent has acted late on an earlier request. */
export function dsSeenAgain<Key extends RollingKey>(key: Key): Key {
  return isDsLeaving(key) ? withPresence(key, 'ds', unfollowed(key.ds)) : key
}

/** Whether a DS is leaving: it has to stay away until caches have followed, and is checked for until then. */
export function isDsLeaving<Key extends RollingKey>(
  key: Key,
): key is Key & { readonly ds: Presence } {
  return key.ds?.state === 'UNRETENTIVE'
}

/** When the next step may be due, among those that are known to wait only for time. */
export function nextDueAt(keys: readonly RollingKey[]): number | undefined {
  const moments = keys.flatMap(key => keyRecords.map(record => key[record]?.until ?? null))
  const known = moments.filter(until => until !== null)
  return known.length === 0 ? undefined : Math.min(...known)
}

/** The keys with the changes that all caches have followed. Once the last answers from before a change have gone, those from
 *  before all earlier changes have gone too: the records of these changes have then been there as long as any cache
 *  remembers. */
function settledKeys<Key extends RollingKey>(keys: readonly Key[], now: number): Key[] {
  const after = keys.map(key => settledKey(key, now))
  return (['dnskey', 'zoneSignatures'] as const).reduce((current, record) => {
    const followed = keys.flatMap((before, i) => {
      const presence = before[record]
      return presence !== null && presence !== after[i]?.[record] ? [presence.since] : []
    })
    const moment = Math.max(-Infinity, ...followed)
    return current.map(key => {
      const presence = key[record]
      return presence === null ? key : withPresence(key, record, rememberedSince(presence, moment))
    })
  }, after)
}

function settledKey<Key extends RollingKey>(key: Key, now: number): Key {
  return keyRecords.reduce((settling, record) => {
    const presence = settling[record]
    return presence === null ? settling : withPresence(settling, record, settled(presence, now))
  }, key)
}

/** The key itself, if it already has that value. */
function withPresence<Key extends RollingKey>(key: Key, record: KeyRecord, value: Presence): Key {
  return key[record] === value ? key : { ...key, [record]: value }
}

/** The first step that every resolver can follow. Records that come are considered before those that go, so that one
 *  replaces the other. */
function nextStep<Key extends RollingKey>(keys: readonly Key[], now: number): Key[] | undefined {
  // Imported keys may not suffice to validate all of the zone: then the other records come at once.
  const isSound = isValidInEveryCache(keys)
  for (const goal of ['OMNIPRESENT', 'HIDDEN'] as const) {
    for (const key of keys.filter(key => key.goal === goal)) {
      for (const record of keyRecords) {
        const next = movedTo(key, record, now)
        if (next === undefined || !isTimely(keys, key, record)) continue
        const after = keys.map(other => (other === key ? withPresence(key, record, next) : other))
        const isComing = goal === 'OMNIPRESENT'
        if (isValidInEveryCache(after) || (isComing && !isSound)) return after
      }
    }
  }
  return undefined
}

/** The next state of a record under its key's goal. */
function movedTo(key: RollingKey, record: KeyRecord, now: number): Presence | undefined {
  const presence = key[record]
  if (presence === null) return undefined
  if (key.goal === 'HIDDEN') return isServed(presence) ? withdrawn(presence, now) : undefined
  // Of a DS any part of its changes may be seen, so it may come back before it has gone.
  const isAway = presence.state === 'HIDDEN' || (record === 'ds' && !isServed(presence))
  return isAway ? introduced(now) : undefined
}

/** Whether a safe step is useful now. */
function isTimely(keys: readonly RollingKey[], key: RollingKey, record: KeyRecord): boolean {
  const others = keys.filter(other => other !== key)
  if (record === 'ds' && key.goal === 'OMNIPRESENT') {
    // CDS are believed only if their key is known (RFC 7344 section 4.1).
    return key.dnskey.state === 'OMNIPRESENT'
  }
  if (record === 'ds') {
    // A zone that is to stay secure has a DS at all times.
    return others.some(wantsDs) || keys.every(({ goal }) => goal === 'HIDDEN')
  }
  if (record === 'zoneSignatures' && key.goal === 'OMNIPRESENT') {
    // Signatures of a zone are made twice only where they have to be: by a new algorithm, in front of its DNSKEY.
    const isSigned = others.some(({ algorithm, zoneSignatures }) => {
      return algorithm === key.algorithm && zoneSignatures !== null && isServed(zoneSignatures)
    })
    return key.dnskey.state === 'OMNIPRESENT' || !isSigned
  }
  return true
}
