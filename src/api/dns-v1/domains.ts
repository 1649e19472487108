import type { Zones } from '../../service/zones/zones.ts'
import { listReply } from '../list-reply.ts'
import { type RequestContext, type Route, route } from '../route.ts'
import { zoneCreationRefusals } from '../zone-refusals.ts'
import { domainAnswer, domainServersAnswer, domainsAnswer } from './answers.ts'
import {
  domainCreateSchema,
  domainPutSchema,
  zoneDraftFromBody,
  zonePatchFromBody,
} from './domains.schema.ts'
import { domainUrl, domainView } from './domains.view.ts'
import { emptiedRoute } from './emptied.ts'
import { idParameter } from './id-parameter.ts'
import { limited, parseRange } from './list-range.ts'
import { serverView } from './servers.view.ts'

/** Domains: the PRIMARY zones that are not being deleted. */
export function domainRoutes(zones: Zones): readonly Route[] {
  return [
    route('GET /domains', {
      rule: 'find_zones',
      summary: 'Lists domains',
      answers: { 200: domainsAnswer },
      refusals: ['marker_not_found'],
      async handler(context) {
        const { limit, marker } = parseRange(context)
        const pages = zones.primaryPages(context.caller, marker)
        return listReply('domains', limited(pages, limit), domainView)
      },
    }),
    route('POST /domains', {
      rule: 'create_zone',
      summary: 'Creates a domain',
      answers: { 200: domainAnswer },
      refusals: zoneCreationRefusals,
      bodySchema: domainCreateSchema,
      async handler(context) {
        const zone = await zones.create(context.caller, zoneDraftFromBody(context.body))
        const headers = { location: domainUrl(context, zone.id) }
        return { status: 200, headers, body: domainView(zone) }
      },
    }),
    route('GET /domains/:domain_id', {
      rule: 'get_zone',
      summary: 'Shows a domain',
      answers: { 200: domainAnswer },
      refusals: ['zone_not_found'],
      respond: context => domainView(requestedZone(zones, context)),
    }),
    route('PUT /domains/:domain_id', {
      rule: 'update_zone',
      summary: 'Changes a domain',
      answers: { 200: domainAnswer },
      refusals: ['zone_not_found', 'bad_request', 'invalid_ttl'],
      bodySchema: domainPutSchema,
      async respond(context) {
        const { id } = requestedZone(zones, context)
        const zone = await zones.update(context.caller, id, zonePatchFromBody(context.body))
        return domainView(zone)
      },
    }),
    emptiedRoute('DELETE /domains/:domain_id', {
      rule: 'delete_zone',
      summary: 'Deletes a domain',
      refusals: ['zone_not_found', 'zone_has_sub_zone', 'zone_is_shared'],
      run: context => zones.delete(context.caller, requestedZone(zones, context).id),
    }),
    route('GET /domains/:domain_id/servers', {
      rule: 'get_zone_ns_records',
      summary: 'Lists the name servers of a domain',
      answers: { 200: domainServersAnswer },
      refusals: ['zone_not_found'],
      respond(context) {
        const servers = zones.nameservers(context.caller, requestedZone(zones, context).id)
        return { servers: servers.map(serverView) }
      },
    }),
  ]
}

function requestedZone(zones: Zones, context: RequestContext) {
  return zones.getPrimary(context.caller, idParameter(context, 'domain_id'))
}
