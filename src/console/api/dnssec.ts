import { call, send } from './client.ts'
import type { Zone } from './zones.ts'

/** How widely a record of a key may be known to resolvers. */
export type Presence = 'HIDDEN' | 'RUMOURED' | 'OMNIPRESENT' | 'UNRETENTIVE'

export type KeyRole = 'CSK' | 'KSK' | 'ZSK'

/** A key of a zone. */
export type DnssecKey = {
  readonly id: string
  readonly tag: number
  readonly algorithm: number
  readonly role: KeyRole
  readonly goal: 'OMNIPRESENT' | 'HIDDEN'
  readonly states: Readonly<
    Record<'dnskey' | 'dnskey_signatures' | 'zone_signatures' | 'ds', Presence | null>
  >
  readonly created_at: string
}

/** How a zone is signed. */
export type Dnssec = {
  readonly status: 'UNSIGNED' | 'SIGNING' | 'SIGNED' | 'UNSIGNING' | 'PRESIGNED'
  readonly denial: string | null
  readonly ds: readonly string[]
  /** The time from which on the parent may have the DS. */
  readonly ds_from: string | null
  readonly cds_published: boolean
  readonly parent: Parent | null
  readonly keys: readonly DnssecKey[]
  readonly tasks: readonly Task[]
  readonly problems: readonly string[]
  readonly waits_for: string | null
}

export type Parent = {
  readonly zone: string | null
  readonly hosted_here: boolean
  readonly servers: readonly {
    readonly host: string
    readonly ds: readonly string[]
    readonly error: string | null
  }[]
  readonly checked_at: string | null
}

/** A step of a key that is under way. */
export type Task = {
  readonly key_id: string
  readonly tag: number
  readonly step: string
  readonly waits_for: string
  readonly until: string | null
}

type Id = Pick<Zone, 'id'>

function pathOf({ id }: Id): string {
  return `/v2/zones/${id}/dnssec`
}

export function getDnssec(zone: Id): Promise<Dnssec> {
  return call({ path: pathOf(zone) })
}

export function signZone(zone: Id, policy: string): Promise<Dnssec> {
  return call({ method: 'PUT', path: pathOf(zone), body: { policy_id: policy } })
}

/** @param force removes the signatures whatever the parent has */
export async function unsignZone(zone: Id, force: boolean): Promise<void> {
  await send({ method: 'DELETE', path: pathOf(zone), query: { force: force || undefined } })
}

export function rollKeys(zone: Id, role: KeyRole): Promise<Dnssec> {
  return call({ method: 'POST', path: `${pathOf(zone)}/tasks/roll`, body: { role } })
}

export function checkParent(zone: Id): Promise<Dnssec> {
  return call({ method: 'POST', path: `${pathOf(zone)}/tasks/check_parent` })
}

/** Confirms that the parent has the DS of a key on all of its servers, or on none. */
export function confirmDs(zone: Id, key: DnssecKey, present: boolean): Promise<Dnssec> {
  const body = { key_id: key.id, present }
  return call({ method: 'POST', path: `${pathOf(zone)}/tasks/confirm_ds`, body })
}
