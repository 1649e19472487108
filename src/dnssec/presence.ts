// Where a record of a key is: on the servers, and in the caches that follow them later.

/** HIDDEN: in no cache. RUMOURED: served, but caches may still have the previous data. OMNIPRESENT: in every answer and
 *  every cache. UNRETENTIVE: no longer served, but caches may still have it. */
type Visibility = 'HIDDEN' | 'RUMOURED' | 'OMNIPRESENT' | 'UNRETENTIVE'

/** Moments are in microseconds since 1970. */
export type Presence = {
  readonly state: Visibility
  /** When the state began. */
  readonly since: number
  /** When all caches will have followed; null where that is not known yet, because not all servers have the change, or
   *  where there is no change to follow. */
  readonly until: number | null
  /** When the record was first served, for one that is withdrawn before all caches had it. */
  readonly from?: number
}

export const hidden: Presence = { state: 'HIDDEN', since: 0, until: null }

/** The presence of a key that was in use before its import. */
export const omnipresent: Presence = { state: 'OMNIPRESENT', since: 0, until: null }

/** Whether servers are to have the record. */
export function isServed({ state }: Presence): boolean {
  return state === 'RUMOURED' || state === 'OMNIPRESENT'
}

/** Whether caches are still to follow. */
export function isPending({ state }: Presence): boolean {
  return state === 'RUMOURED' || state === 'UNRETENTIVE'
}

/** Whether caches are still to follow a change that not all servers have, as far as known. */
export function isUnfollowed(presence: Presence | null): presence is Presence {
  return presence !== null && isPending(presence) && presence.until === null
}

export function introduced(now: number): Presence {
  return { state: 'RUMOURED', since: now, until: null }
}

export function withdrawn({ state, since }: Presence, now: number): Presence {
  const from = state === 'RUMOURED' ? { from: since } : {}
  return { state: 'UNRETENTIVE', since: now, until: null, ...from }
}

/** The same, with the moment when caches will have followed, unless that moment is known. */
export function followedAt(presence: Presence, until: number): Presence {
  return isUnfollowed(presence) ? { ...presence, until } : presence
}

/** The same, still present: caches will have followed later than assumed. */
export function unfollowed(presence: Presence): Presence {
  return isPending(presence) && presence.until !== null ? { ...presence, until: null } : presence
}

/** Its present state. */
export function settled(presence: Presence, now: number): Presence {
  const { state, until } = presence
  if (until === null || until > now) return presence
  return { state: state === 'RUMOURED' ? 'OMNIPRESENT' : 'HIDDEN', since: until, until: null }
}

/** The same, once no cache has an answer from before that moment. */
export function rememberedSince(presence: Presence, moment: number): Presence {
  const { from, ...rest } = presence
  return from !== undefined && from <= moment ? rest : presence
}

/** Whether an answer of that moment, which a cache may still have, contains the record. */
export function isInAnswerOf(
  { state, since, from = -Infinity }: Presence,
  moment: number,
): boolean {
  switch (state) {
    case 'HIDDEN':
      return false
    case 'OMNIPRESENT':
      return true
    case 'RUMOURED':
      return moment >= since
    case 'UNRETENTIVE':
      return from <= moment && moment < since
  }
}
