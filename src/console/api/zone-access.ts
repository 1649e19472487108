import type { Static } from 'typebox'
import type {
  nameserversAnswer,
  shareAnswer,
  transferRequestAnswer,
  updatePolicyAnswer,
} from '../../api/dns/answers.ts'
import { call, send } from './client.ts'
import { list } from './lists.ts'
import type { Zone } from './zones.ts'

/** A project that a zone is shared with. */
export type Share = Static<typeof shareAnswer>

/** An offer of a zone; key and target are shown only to the project that made it. */
export type Offer = Static<typeof transferRequestAnswer>

/** A rule of dynamic update. */
export type UpdateRule = Static<typeof updatePolicyAnswer>['rules'][number]

export type Nameserver = Static<typeof nameserversAnswer>['nameservers'][number]

type Id = Pick<Zone, 'id'>

const offers = '/v2/zones/tasks/transfer_requests'

export function listShares({ id }: Id): Promise<readonly Share[]> {
  return list('shared_zones', { path: `/v2/zones/${id}/shares` })
}

export function share({ id }: Id, project: string): Promise<Share> {
  const path = `/v2/zones/${id}/shares`
  return call({ method: 'POST', path, body: { target_project_id: project } })
}

export async function unshare({ id }: Id, share: Share): Promise<void> {
  await send({ method: 'DELETE', path: `/v2/zones/${id}/shares/${share.id}` })
}

/** Offers of this project's zones, and offers made to it. */
export const listOffers = () =>
  list<Offer>('transfer_requests', { path: offers, query: { status: 'ACTIVE' } })

/** @param project the target; if empty, any project that has the key */
export function offer({ id }: Id, project: string): Promise<Offer> {
  const path = `/v2/zones/${id}/tasks/transfer_requests`
  const body = project === '' ? {} : { target_project_id: project }
  return call({ method: 'POST', path, body })
}

export async function withdraw({ id }: Offer): Promise<void> {
  await send({ method: 'DELETE', path: `${offers}/${id}` })
}

export function accept(id: string, key: string): Promise<{ readonly zone_id: string }> {
  const body = { zone_transfer_request_id: id, key }
  return call({ method: 'POST', path: '/v2/zones/tasks/transfer_accepts', body })
}

export function getUpdateRules({ id }: Id): Promise<readonly UpdateRule[]> {
  return list('rules', { path: `/v2/zones/${id}/update_policy` })
}

/** Resolves with the rules as they are stored. */
export function setUpdateRules(
  { id }: Id,
  rules: readonly UpdateRule[],
): Promise<readonly UpdateRule[]> {
  return list('rules', { method: 'PUT', path: `/v2/zones/${id}/update_policy`, body: { rules } })
}

export function listNameservers({ id }: Id): Promise<readonly Nameserver[]> {
  return list('nameservers', { path: `/v2/zones/${id}/nameservers` })
}
