import { isServed, type Presence } from './presence.ts'
import type { RollingKey } from './rolls.ts'

export type KeyRole = 'CSK' | 'KSK' | 'ZSK'

/** A key that a policy asks for. */
export type WantedKey = {
  readonly role: KeyRole
  readonly algorithm: number
  /** How long after its creation it is replaced; null: never. */
  readonly lifetimeSeconds: number | null
}

export type GoalKey = RollingKey & {
  readonly role: KeyRole
  /** In microseconds. */
  readonly createdAt: number
}

/** The records that a key of a role has, all in one state. */
export function recordsOf(
  role: KeyRole,
  presence: Presence,
): Pick<RollingKey, 'dnskey' | 'zoneSignatures' | 'ds'> {
  return {
    dnskey: presence,
    zoneSignatures: role === 'KSK' ? null : presence,
    ds: role === 'ZSK' ? null : presence,
  }
}

/** Sets the goals of keys by the wanted keys, and returns which keys are to be made. A key that is too old, no longer wanted
 *  or `retired` by hand is replaced, but not while an earlier one of its role is still leaving. If no keys are wanted, all
 *  keys go; keys that are wanted again before they have gone stay. */
export function withGoals<Key extends GoalKey>(
  keys: readonly Key[],
  wanted: readonly WantedKey[],
  { now, retired }: { readonly now: number; readonly retired?: KeyRole | undefined },
): { readonly keys: Key[]; readonly missing: WantedKey[] } {
  if (wanted.length === 0) return { keys: keys.map(key => withGoal(key, 'HIDDEN')), missing: [] }
  const leaving = keys.filter(({ goal }) => goal === 'HIDDEN')
  if (leaving.length === keys.length) {
    const isBack = (key: Key) => isWhole(key) && wanted.some(want => isFitting(key, want))
    const missing = wanted.filter(want => !keys.some(key => isBack(key) && isFitting(key, want)))
    return { keys: keys.map(key => (isBack(key) ? withGoal(key, 'OMNIPRESENT') : key)), missing }
  }
  const stays = (key: Key) =>
    key.role !== retired && wanted.some(want => isFitting(key, want) && isYoung(key, want, now))
  const replaced = keys.filter(key => key.goal === 'OMNIPRESENT' && !stays(key))
  const staying = keys.filter(key => key.goal === 'OMNIPRESENT' && stays(key))
  const missing = wanted.filter(want => !staying.some(key => isFitting(key, want)))
  const isRolling = [...replaced, ...missing].some(({ role }) => {
    return leaving.some(key => key.role === role)
  })
  if (isRolling) return { keys: [...keys], missing: [] }
  return {
    keys: keys.map(key => (replaced.includes(key) ? withGoal(key, 'HIDDEN') : key)),
    missing,
  }
}

function isFitting({ role, algorithm }: GoalKey, wanted: WantedKey): boolean {
  return role === wanted.role && algorithm === wanted.algorithm
}

function isYoung({ createdAt }: GoalKey, { lifetimeSeconds }: WantedKey, now: number): boolean {
  return lifetimeSeconds === null || createdAt + lifetimeSeconds * 1_000_000 > now
}

/** Whether no record of a key has been withdrawn, except perhaps its DS. */
function isWhole({ dnskey, zoneSignatures }: GoalKey): boolean {
  return isServed(dnskey) && (zoneSignatures === null || isServed(zoneSignatures))
}

function withGoal<Key extends GoalKey>(key: Key, goal: GoalKey['goal']): Key {
  return key.goal === goal ? key : { ...key, goal }
}
