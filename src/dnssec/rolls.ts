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

// All rolls are one: each key has a goal, and its records come and go as soon as no resolver can be left behind
// (Schaeffer, Overeinder, Mekking: Flexible and Robust Key Rollover in DNSSEC; timing by RFC 7583). Signing a zone, going
// insecure and new keys of whatever role and algorithm differ in the goals only.

export type RollingKey = KeyRecords & {
  readonly id: string
  /** Whether its records are to come or to go. */
  readonly goal: 'OMNIPRESENT' | 'HIDDEN'
}

/** Records of a key that come and go by themselves. */
export const keyRecords = ['zoneSignatures', 'dnskey', 'ds'] as const
export type KeyRecord = (typeof keyRecords)[number]

/** Returns the keys after all steps that are due: what caches have followed is settled, and what may come or go begins to.
 *  A key that nothing is due of is returned as it is.
 *  Those steps are `served` or `dsFollowed` later, which says from when caches follow. */
export function advance<Key extends RollingKey>(keys: readonly Key[], now: number): Key[] {
  let current = settledKeys(keys, now)
  for (let next: Key[] | undefined = current; next !== undefined; next = nextStep(current, now)) {
    current = next
  }
  return current
}

/** Notes that all servers of the zone have what was begun with its DNSKEY or its signatures. */
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

/** Notes that all servers of the parent have the DS of a key, or that none has it any more, whichever is waited for. */
export function dsFollowed<Key extends RollingKey>(key: Key, until: number): Key {
  return key.ds === null ? key : withPresence(key, 'ds', followedAt(key.ds, until))
}

/** Notes that a server of the parent has the DS of a key that was gone: the parent has taken up an earlier wish late. */
export function dsSeenAgain<Key extends RollingKey>(key: Key): Key {
  return isDsLeaving(key) ? withPresence(key, 'ds', unfollowed(key.ds)) : key
}

/** Whether a DS is on its way out: it has to stay away until caches have followed, and is looked for until then. */
export function isDsLeaving<Key extends RollingKey>(
  key: Key,
): key is Key & { readonly ds: Presence } {
  return key.ds?.state === 'UNRETENTIVE'
}

/** When the next step may be due of which nothing but the time is known to be missing. */
export function nextDueAt(keys: readonly RollingKey[]): number | undefined {
  const moments = keys.flatMap(key => keyRecords.map(record => key[record]?.until ?? null))
  const known = moments.filter(until => until !== null)
  return known.length === 0 ? undefined : Math.min(...known)
}

/** What all caches have followed. With the last answers of before a change, those of before all earlier ones have gone: what
 *  came with these was there as long as anybody remembers. */
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

/** The key itself, if that is what it has. */
function withPresence<Key extends RollingKey>(key: Key, record: KeyRecord, value: Presence): Key {
  return key[record] === value ? key : { ...key, [record]: value }
}

/** The first step that everybody can follow. What comes is looked at before what goes, so that one replaces the other. */
function nextStep<Key extends RollingKey>(keys: readonly Key[], now: number): Key[] | undefined {
  // Keys from elsewhere may not be enough to validate all of the zone: then the rest comes at once.
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

/** Where the goal of a key takes a record next. */
function movedTo(key: RollingKey, record: KeyRecord, now: number): Presence | undefined {
  const presence = key[record]
  if (presence === null) return undefined
  if (key.goal === 'HIDDEN') return isServed(presence) ? withdrawn(presence, now) : undefined
  // Of a DS any part of its changes may be seen, so it may come back before it has gone.
  const isAway = presence.state === 'HIDDEN' || (record === 'ds' && !isServed(presence))
  return isAway ? introduced(now) : undefined
}

/** Whether a step that is safe serves anything now. */
function isTimely(keys: readonly RollingKey[], key: RollingKey, record: KeyRecord): boolean {
  const others = keys.filter(other => other !== key)
  if (record === 'ds' && key.goal === 'OMNIPRESENT') {
    // CDS are believed only if their key is known (RFC 7344 section 4.1).
    return key.dnskey.state === 'OMNIPRESENT'
  }
  if (record === 'ds') {
    // A zone that is to stay secure has a DS at any time.
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
