import type { ZoneShare } from '../../model/zone-share.ts'
import type { ShareOfZone, ZoneShares } from '../../service/zones/zone-shares.ts'
import { requestBody } from '../openapi/fields.ts'
import { type Route, route } from '../route.ts'
import { timesOf } from '../timestamps.ts'
import { shareAnswer, sharesAnswer } from './answers.ts'
import { projectIdField } from './field-schemas.ts'
import { listRoute } from './list-route.ts'
import type { ListAttributes } from './page-request.ts'
import { type ViewContext, zoneUrl } from './zones.view.ts'

/** Body of `POST /zones/<id>/shares`. */
const zoneShareCreateSchema = requestBody(
  'shared_zone',
  { target_project_id: projectIdField },
  { target_project_id: '4d74fe0d117340a498e2b00f62f7a520' },
)

/** The projects that a zone is shared with. */
export function zoneShareRoutes(shares: ZoneShares): readonly Route[] {
  return [
    listRoute('GET /zones/:zone_id/shares', {
      rule: 'find_zone_shares',
      summary: 'Lists the shares of a zone',
      answer: sharesAnswer,
      refusals: ['zone_not_found'],
      key: 'shared_zones',
      attributes: shareAttributes,
      pageOf: ({ caller, id }, request) =>
        shares.list(caller, shares.zoneOf(caller, id('zone_id')), request),
      viewOf(share, context) {
        const zone = shares.zoneOf(context.caller, share.zoneId)
        return zoneShareView({ share, zone }, context)
      },
    }),
    route('POST /zones/:zone_id/shares', {
      rule: 'share_zone',
      summary: 'Shares a zone with another project',
      answers: { 201: shareAnswer },
      refusals: [
        'zone_not_found',
        'bad_request',
        'invalid_project',
        'duplicate_shared_zone',
        'over_quota',
      ],
      bodySchema: zoneShareCreateSchema,
      async respond(context) {
        const zoneId = context.id('zone_id')
        const { target_project_id: target } = context.body
        return zoneShareView(await shares.create(context.caller, zoneId, target), context)
      },
    }),
    route('GET /zones/:zone_id/shares/:share_id', {
      rule: 'get_zone_share',
      summary: 'Shows a share of a zone',
      answers: { 200: shareAnswer },
      refusals: ['zone_not_found', 'shared_zone_not_found'],
      respond(context) {
        const { caller, id } = context
        return zoneShareView(shares.get(caller, id('zone_id'), id('share_id')), context)
      },
    }),
    route('DELETE /zones/:zone_id/shares/:share_id', {
      rule: 'unshare_zone',
      summary: 'Takes a share of a zone back',
      answers: { 204: null },
      refusals: ['shared_zone_not_found', 'shared_zone_has_recordsets'],
      respond: ({ caller, id }) => shares.delete(caller, id('zone_id'), id('share_id')),
    }),
  ]
}

const shareAttributes: ListAttributes<ZoneShare> = {
  sortValues: { updated_at: share => share.updatedAt },
  filterValues: { target_project_id: share => [share.targetProjectId] },
}

/** A share as the API shows it. */
function zoneShareView({ share, zone }: ShareOfZone, context: ViewContext): object {
  const ofZone = zoneUrl(context, zone.id)
  return {
    id: share.id,
    zone_id: zone.id,
    project_id: zone.projectId,
    target_project_id: share.targetProjectId,
    ...timesOf(share),
    links: { self: `${ofZone}/shares/${share.id}`, zone: ofZone },
  }
}
