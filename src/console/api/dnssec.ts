import type { Static } from 'typebox'
import type { dnssecAnswer, dnssecKeyAnswer } from '../../api/dns/dnssec.answers.ts'
import { call, send } from './client.ts'
import type { Zone } from './zones.ts'

/** A key of a zone. */
export type DnssecKey = Static<typeof dnssecKeyAnswer>

export type KeyRole = DnssecKey['role']

/** How a zone is signed. */
export type Dnssec = Static<typeof dnssecAnswer>

export type Parent = NonNullable<Dnssec['parent']>

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
